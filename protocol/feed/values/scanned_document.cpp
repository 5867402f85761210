#include "protocol/feed/values/scanned_document.hpp"

#include <algorithm>
#include <utility>

namespace sluice::feed {

namespace {

using xpath::Condition;
using xpath::Node;

Node ancestor(const xpath::DocumentIndex& index, Node node, std::size_t parents) {
    for (; parents > 0 && node != xpath::no_node; --parents) node = index.parent(node);
    return node;
}

// Parts that are not kept are made again for each evaluation.
std::uint64_t steps_to_begin(const ScannedDocument::Form& form, bool is_new, bool makes_parts) {
    return xpath::steps_per_evaluation + (is_new ? xpath::steps_per_condition : 0) +
           (makes_parts ? form.steps_for_parts : 0);
}

}  // namespace

ScannedDocument::Form::Form(const Condition& condition)
    : parents(static_cast<std::uint32_t>(condition.parents())),
      steps_for_parts(static_cast<std::uint32_t>(condition.names().size() * xpath::steps_per_name +
                                                 condition.memos() * xpath::steps_per_part)),
      is_of_document(condition.form() == Condition::Form::test && condition.shared()) {}

xpath::DocumentIndex SpareIndexes::take() {
    if (kept_.empty()) return {};
    xpath::DocumentIndex index = std::move(kept_.back());
    kept_.pop_back();
    bytes_ -= index.bytes();
    return index;
}

void SpareIndexes::keep(xpath::DocumentIndex index) noexcept {
    const std::size_t bytes = index.bytes();
    if (kept_.size() == indexes_max || bytes > bytes_max - bytes_) return;
    kept_.push_back(std::move(index));
    bytes_ += bytes;
}

ScannedDocument::~ScannedDocument() {
    if (index_) spare_.keep(std::move(index_->nodes));
}

void ScannedDocument::set_budgets(const Document& document) {
    std::size_t bytes = 0;
    for (const Item& item : document.items()) bytes += item.source.size();
    const std::uint64_t all = limits_.share(limits_.document_steps_max, bytes);
    budgets_.leaf = limits_.share(limits_.condition_steps_max, bytes);
    budgets_.owner = limits_.share(limits_.owner_steps_max, bytes);
    budgets_.common = sharing_ == 0 ? all : all - all / 2;
    budgets_.share = sharing_ == 0 ? 0 : all / 2 / sharing_;
}

bool ScannedDocument::make_index(const Event& event, xpath::Meter& meter) {
    set_budgets(*event.document);
    meter.begin(limits_.document_steps_max);
    try {
        index_ = index_tree(*event.document, meter, spare_.take());
    } catch (const xpath::OverBudget&) {
        over_ = true;
    }
    spent_ += meter.spent();
    return index_.has_value();
}

ScannedDocument::Leaf* ScannedDocument::find(const Condition& condition) {
    const std::uint32_t number = numbers_.find(&condition);
    return number == AddressTable::none ? nullptr : &leaves_[number];
}

ScannedDocument::Leaf& ScannedDocument::add(const Question& question) {
    numbers_.insert(&question.condition, static_cast<std::uint32_t>(leaves_.size()));
    Leaf& leaf = leaves_.emplace_back();
    leaf.handle = question.handle;
    return leaf;
}

std::optional<bool> ScannedDocument::known(const Leaf& leaf, const Question& question, Node context) const {
    if (question.form.is_of_document) return leaf.answers.of(0);
    if (!leaf.of_context) return leaf.answers.of(question.event.index);
    const auto found = leaf.of_context->find(context);
    if (found == leaf.of_context->end()) return std::nullopt;
    return found->second;
}

std::optional<bool> ScannedDocument::holds(const Question& question, BoundVariables& variables, xpath::Meter& meter) {
    last_steps_ = 0;
    const Form& form = question.form;
    if (over_ || (!index_ && !make_index(question.event, meter))) return std::nullopt;
    Node context = ancestor(index_->nodes, index_->items[question.event.index], form.parents);
    if (context == xpath::no_node) return false;
    if (form.is_of_document) context = xpath::document_node;
    Leaf* leaf = find(question.condition);
    if (leaf) {
        if (const auto answer = known(*leaf, question, context)) return answer;
        if (leaf->over) return std::nullopt;
    }
    const bool is_new = !leaf || leaf->spent == 0;  // an evaluation that the hook has ended does not count
    const std::uint64_t left = steps_left(leaf, question.owners);
    if (left < steps_to_begin(form, is_new, is_new)) return std::nullopt;  // sooner than by an exception
    if (!leaf) leaf = &add(question);
    const std::size_t bytes_before = leaf->bytes();

    meter.begin(left);
    memory_.begin(limits_.bytes_max);
    std::optional<bool> answer;
    try {
        answer = evaluate(*leaf, is_new, question, context, variables, meter);
        keep(*leaf, question, context, *answer);
        if (leaf->parts && memory_.held() > limits_.bytes_max) leaf->parts->forget();
    } catch (const xpath::OverBudget&) {
        leaf->over = true;
        leaf->parts.reset();
    }
    // An evaluation that the hook ends is not charged: it will be repeated.
    charge(*leaf, question.owners, meter.spent());
    leaf_bytes_ += leaf->bytes() - bytes_before;
    return answer;
}

// The budget of an evaluation of the leaf, which is null if it has had none: what is left of the leaf's own budget and
// of the common one. When that is spent, what the owner that has spent least may spend of the part that is set aside.
std::uint64_t ScannedDocument::steps_left(const Leaf* leaf, std::span<const ScanOwner> owners) {
    const std::uint64_t left = budgets_.leaf - (leaf ? std::min(leaf->spent, budgets_.leaf) : 0);
    const std::uint64_t common_left = budgets_.common - std::min(spent(), budgets_.common);
    if (owners.empty() || (left <= common_left && !an_owner_is_over_)) return std::min(left, common_left);
    std::uint64_t least = ScanLimits::unlimited;
    for (const ScanOwner owner : owners) least = std::min(least, spent_by(owner));
    if (least >= budgets_.owner) return 0;
    return std::min(left, common_left + budgets_.share - std::min(budgets_.share, least));
}

std::uint64_t ScannedDocument::spent_by(ScanOwner owner) {
    if (recent_owner_.first != owner || recent_owner_.second == 0) {
        const auto found = spent_of_owner_.find(owner);
        recent_owner_ = {owner, found == spent_of_owner_.end() ? 0 : found->second};
    }
    return recent_owner_.second;
}

void ScannedDocument::charge(Leaf& leaf, std::span<const ScanOwner> owners, std::uint64_t steps) {
    last_steps_ = steps;
    leaf.spent += steps;
    spent_ += steps;
    for (const ScanOwner owner : owners) {
        std::uint64_t& spent = spent_of_owner_[owner];
        spent += steps;
        recent_owner_ = {owner, spent};
        an_owner_is_over_ |= spent >= budgets_.owner;
    }
}

// Parts are kept for the items to come.
bool ScannedDocument::evaluate(Leaf& leaf, bool is_new, const Question& question, Node context,
                               BoundVariables& variables, xpath::Meter& meter) {
    const Condition& condition = question.condition;
    const bool keeps_parts = index_->items.size() > 1 && !question.form.is_of_document;
    meter.spend(steps_to_begin(question.form, is_new, !leaf.parts));
    const xpath::VariableValues* values = nullptr;
    if (condition.reads_variables()) {
        values = &variables.of(question.event);
        meter.spend(xpath::steps_per_binding + values->bytes / xpath::bytes_per_step);
    }
    if (keeps_parts) {
        if (!leaf.parts) leaf.parts = std::make_unique<xpath::KnownParts>(condition, index_->nodes, &memory_);
        const xpath::Evaluator evaluator(condition, index_->nodes, values, *leaf.parts, meter, &memory_);
        return decide(leaf, question, context, evaluator, meter);
    }
    xpath::KnownParts parts(condition, index_->nodes, &memory_);
    const xpath::Evaluator evaluator(condition, index_->nodes, values, parts, meter, &memory_);
    return decide(leaf, question, context, evaluator, meter);
}

bool ScannedDocument::decide(Leaf& leaf, const Question& question, Node context, const xpath::Evaluator& evaluator,
                             xpath::Meter& meter) {
    const Condition& condition = question.condition;
    if (condition.form() == Condition::Form::test) return evaluator.boolean(context);
    const xpath::NodeSet nodes = evaluator.nodes(xpath::document_node);
    const auto is_in = [&](Node node) { return std::binary_search(nodes.begin(), nodes.end(), node); };
    if (condition.reads_variables()) return is_in(context);
    meter.spend(index_->items.size() * xpath::steps_per_expression);
    for (std::size_t i = 0; i < index_->items.size(); ++i) leaf.answers.set(i, is_in(index_->items[i]));
    return is_in(context);
}

// So that an event that is matched again gets the same answer, and spends nothing; unless it depends on variables,
// which are not the document's alone.
void ScannedDocument::keep(Leaf& leaf, const Question& question, Node context, bool answer) {
    const Condition& condition = question.condition;
    if (condition.reads_variables()) return;
    if (condition.form() == Condition::Form::selection) {
        leaf.parts.reset();
    } else if (question.form.is_of_document) {
        leaf.answers.set(0, answer);
    } else if (condition.parents() == 0) {
        leaf.answers.set(question.event.index, answer);
    } else {
        if (!leaf.of_context) leaf.of_context = std::make_unique<std::unordered_map<Node, bool>>();
        leaf.of_context->emplace(context, answer);
    }
}

}  // namespace sluice::feed
