#include "protocol/feed/scanned_document.hpp"

#include <algorithm>
#include <utility>

namespace sluice::feed {

namespace {

constexpr std::uint64_t charged_from_steps = 1'024;  // makes the cost of finding a leaf's owners negligible
constexpr std::size_t spare_bytes_max = 4u << 20;    // of an index whose memory is kept for reuse

using xpath::Condition;
using xpath::Node;

Node ancestor(const xpath::DocumentIndex& index, Node node, std::size_t parents) {
    for (; parents > 0 && node != xpath::no_node; --parents) node = index.parent(node);
    return node;
}

}  // namespace

ScannedDocument::~ScannedDocument() {
    if (!index_) return;
    const std::size_t bytes = index_->nodes.bytes();
    if (bytes <= spare_bytes_max && bytes > spare_.bytes()) spare_ = std::move(index_->nodes);
}

bool ScannedDocument::make_index(const Event& event, xpath::Meter& meter) {
    if (index_ || over_) return index_.has_value();
    item_bytes_ = 0;
    for (const Item& item : event.document->items()) item_bytes_ += item.source.size();
    meter.begin(limits_.document_steps_max);
    try {
        index_ = index_tree(*event.document, meter, std::exchange(spare_, xpath::DocumentIndex()));
    } catch (const xpath::OverBudget&) {
        over_ = true;
    }
    spent_ += meter.spent();
    return index_.has_value();
}

std::uint64_t ScannedDocument::budget(std::uint64_t steps_max) const { return limits_.share(steps_max, item_bytes_); }

ScannedDocument::Leaf& ScannedDocument::leaf_of(const std::shared_ptr<const Condition>& condition) {
    if (recent_leaf_ && recent_leaf_->condition == condition) return *recent_leaf_;
    recent_leaf_ = &leaves_[condition.get()];
    recent_leaf_->condition = condition;
    return *recent_leaf_;
}

std::optional<bool> ScannedDocument::known(const Leaf& leaf, const Event& event, Node context) const {
    if (context == xpath::no_node) return false;
    if (leaf.selected) return (*leaf.selected)[event.index];
    if (!leaf.decided.empty() && leaf.decided[event.index]) return leaf.answers[event.index];
    const auto found = leaf.of_context.find(context);
    if (found != leaf.of_context.end()) return found->second;
    return std::nullopt;
}

std::optional<bool> ScannedDocument::holds(const Question& question, xpath::Meter& meter, std::uint64_t& steps) {
    const auto& [index, condition, event, variables] = question;
    if (!make_index(event, meter)) return std::nullopt;
    Leaf& leaf = leaf_of(condition);
    Node context = ancestor(index_->nodes, index_->items[event.index], condition->parents());
    if (context != xpath::no_node && condition->shared()) context = xpath::document_node;
    if (const auto answer = known(leaf, event, context)) return answer;
    if (leaf.over || !an_owner_can_pay(index)) return std::nullopt;

    meter.begin(steps_left(leaf, index));
    memory_.begin(limits_.bytes_max);
    std::optional<bool> answer;
    try {
        answer = evaluate(leaf, question, context, meter);
        keep(leaf, question, context, *answer);
        keep_within_limit(leaf);
    } catch (const xpath::OverBudget&) {
        leaf.over = true;
        leaf.parts.reset();
    }
    // An evaluation that the hook ends is not charged: it will be repeated.
    steps = meter.spent();
    leaf.spent += steps;
    spent_ += steps;
    leaf.uncharged += steps;
    const bool charges_all = sharing_ != 0 && spent() >= common_budget();
    if (owners_of_ && leaf.uncharged >= (charges_all ? 1 : charged_from_steps)) charge_owners(leaf, index);
    return answer;
}

std::uint64_t ScannedDocument::common_budget() const {
    const std::uint64_t steps_max = budget(limits_.document_steps_max);
    return sharing_ == 0 ? steps_max : steps_max - steps_max / 2;
}

// The budget of an evaluation of the leaf.
std::uint64_t ScannedDocument::steps_left(const Leaf& leaf, std::size_t index) const {
    const std::uint64_t leaf_steps_max = budget(limits_.condition_steps_max);
    const std::uint64_t left = leaf_steps_max - std::min(leaf.spent, leaf_steps_max);
    const std::uint64_t common = common_budget(), common_left = common - std::min(spent(), common);
    return left <= common_left || sharing_ == 0 ? std::min(left, common_left)
                                                : std::min(left, common_left + share_left(index));
}

// What the owner of the leaf that has spent least may spend of the part that is set aside.
std::uint64_t ScannedDocument::share_left(std::size_t leaf) const {
    const std::uint64_t share = budget(limits_.document_steps_max) / 2 / sharing_;
    std::uint64_t left = 0;
    for (const ScanOwner owner : owners_of_(leaf)) {
        const auto found = spent_of_owner_.find(owner);
        left = std::max(left, found == spent_of_owner_.end() ? share : share - std::min(share, found->second));
    }
    return left;
}

bool ScannedDocument::an_owner_can_pay(std::size_t leaf) const {
    if (!an_owner_is_over_) return true;
    const std::uint64_t steps_max = budget(limits_.owner_steps_max);
    const auto can_pay = [&](ScanOwner owner) {
        const auto found = spent_of_owner_.find(owner);
        return found == spent_of_owner_.end() || found->second < steps_max;
    };
    const std::span<const ScanOwner> owners = owners_of_(leaf);
    return owners.empty() || std::any_of(owners.begin(), owners.end(), can_pay);
}

void ScannedDocument::charge_owners(Leaf& leaf, std::size_t index) {
    const std::uint64_t steps_max = budget(limits_.owner_steps_max);
    for (const ScanOwner owner : owners_of_(index)) {
        std::uint64_t& spent = spent_of_owner_[owner];
        spent += leaf.uncharged;
        an_owner_is_over_ |= spent >= steps_max;
    }
    leaf.uncharged = 0;
}

bool ScannedDocument::evaluate(Leaf& leaf, const Question& question, Node context, xpath::Meter& meter) {
    const Condition& condition = *leaf.condition;
    if (!leaf.parts) leaf.parts.emplace(condition, index_->nodes, &memory_);
    const xpath::Evaluator evaluator(condition, index_->nodes, question.variables, *leaf.parts, meter, &memory_);
    if (condition.form() == Condition::Form::test) {
        return evaluator.boolean(context);
    }
    const xpath::NodeSet nodes = evaluator.nodes(xpath::document_node);
    const auto is_in = [&](Node node) { return std::binary_search(nodes.begin(), nodes.end(), node); };
    if (condition.reads_variables()) return is_in(context);
    std::vector<bool> selected;
    for (const Node item : index_->items) selected.push_back(is_in(item));
    leaf.selected = std::move(selected);
    leaf.parts.reset();
    return (*leaf.selected)[question.event.index];
}

// So that an event that is matched again gets the same answer, and spends nothing; unless it depends on variables,
// which are not the document's alone.
void ScannedDocument::keep(Leaf& leaf, const Question& question, Node context, bool answer) const {
    const Condition& condition = *leaf.condition;
    const bool of_items = condition.parents() == 0 && !condition.shared();
    if (leaf.selected || condition.reads_variables()) return;
    if (!of_items) {
        leaf.of_context[context] = answer;
        return;
    }
    leaf.decided.resize(index_->items.size());
    leaf.answers.resize(index_->items.size());
    leaf.decided[question.event.index] = true;
    leaf.answers[question.event.index] = answer;
}

void ScannedDocument::keep_within_limit(Leaf& leaf) {
    if (leaf.parts && memory_.held() > limits_.bytes_max) leaf.parts->forget();
}

}  // namespace sluice::feed
