#include "protocol/feed/scanned_leaves.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "protocol/feed/scanned_document.hpp"
#include "protocol/feed/variables.hpp"
#include "protocol/filter/functions.hpp"

namespace sluice::feed {

namespace {

// The values of the variables for one event at a time, read when a condition needs them.
class BoundVariables {
public:
    void bind(const Event& event) {
        if (event_ && event_->document == event.document && event_->index == event.index &&
            event_->stream == event.stream) {
            return;
        }
        event_ = event;
        ++values_.version;
        values_.texts.clear();
        values_.ranges.clear();
        VariableReader reader(event);
        for (const std::string_view name : filter::variable_names()) {
            const auto first = static_cast<std::uint32_t>(values_.texts.size());
            for (std::string& text : reader.values(*find_variable(name))) values_.texts.push_back(std::move(text));
            values_.ranges.emplace_back(first, static_cast<std::uint32_t>(values_.texts.size()));
        }
    }
    const xpath::VariableValues& values() const { return values_; }
    void forget() { event_.reset(); }

private:
    std::optional<Event> event_;
    xpath::VariableValues values_;
};

}  // namespace

struct ScannedLeaves::State {
    State(const ScanLimits& l, std::function<void()> pause, OwnersOf of, std::function<std::size_t()> all)
        : limits(l), owners_of(std::move(of)), owners(std::move(all)), meter(std::move(pause)) {}

    const ScanLimits limits;
    const OwnersOf owners_of;
    const std::function<std::size_t()> owners;
    xpath::Meter meter;
    std::shared_ptr<const Conditions> conditions;
    xpath::DocumentIndex spare;  // declared before the documents, whose destructors use it
    std::unordered_map<const Document*, ScannedDocument> documents;
    BoundVariables variables;
    std::vector<LeafCost> costs;
    std::unordered_map<std::size_t, std::size_t> cost_of_leaf;  // index of costs
    // The last document and leaf are usually used again.
    const Document* recent_address = nullptr;
    ScannedDocument* recent_document = nullptr;
    std::size_t recent_cost = 0;  // index of costs

    ScannedDocument& document(const DocumentPtr& ptr);
    void charge(std::size_t leaf, std::uint64_t steps);
};

ScannedDocument& ScannedLeaves::State::document(const DocumentPtr& ptr) {
    if (recent_address == ptr.get() && !recent_document->expired()) return *recent_document;
    auto found = documents.find(ptr.get());
    if (found != documents.end() && found->second.expired()) {  // a new document at the same address
        documents.erase(found);
        found = documents.end();
    }
    if (found == documents.end()) {
        const std::size_t sharing = owners ? owners() : 0;
        found = documents.try_emplace(ptr.get(), ptr, limits, owners_of, sharing, spare).first;
    }
    recent_address = ptr.get();
    recent_document = &found->second;
    return found->second;
}

void ScannedLeaves::State::charge(std::size_t leaf, std::uint64_t steps) {
    if (recent_cost >= costs.size() || costs[recent_cost].leaf != leaf) {
        const auto [at, is_new] = cost_of_leaf.try_emplace(leaf, costs.size());
        if (is_new) costs.push_back({leaf, 0});
        recent_cost = at->second;
    }
    costs[recent_cost].steps += steps;
}

ScannedLeaves::ScannedLeaves(const ScanLimits& limits, std::function<void()> pause, OwnersOf owners_of,
                             std::function<std::size_t()> owners)
    : state_(std::make_unique<State>(limits, std::move(pause), std::move(owners_of), std::move(owners))) {}
ScannedLeaves::~ScannedLeaves() = default;
ScannedLeaves::ScannedLeaves(ScannedLeaves&&) noexcept = default;
ScannedLeaves& ScannedLeaves::operator=(ScannedLeaves&&) noexcept = default;

void ScannedLeaves::assign(std::shared_ptr<const Conditions> conditions) {
    begin_batch();
    end_batch();
    state_->conditions = std::move(conditions);
}

std::optional<bool> ScannedLeaves::holds(std::size_t leaf, const Event& event) {
    const auto condition = std::dynamic_pointer_cast<const xpath::Condition>((*state_->conditions)[leaf]);
    if (!condition) return false;
    if (condition->reads_variables()) state_->variables.bind(event);
    const xpath::VariableValues* const variables = condition->reads_variables() ? &state_->variables.values() : nullptr;
    std::uint64_t steps = 0;
    const ScannedDocument::Question question{leaf, condition, event, variables};
    const auto answer = state_->document(event.document).holds(question, state_->meter, steps);
    state_->charge(leaf, steps);
    return answer;
}

std::span<const LeafCost> ScannedLeaves::costs() const { return state_->costs; }

std::size_t ScannedLeaves::bytes() const {
    std::size_t bytes = 0;
    for (const auto& [address, document] : state_->documents) bytes += document.bytes();
    return bytes;
}

void ScannedLeaves::begin_batch() {
    state_->costs.clear();
    state_->cost_of_leaf.clear();
}

void ScannedLeaves::end_batch() {
    state_->variables.forget();
    state_->recent_address = nullptr;
    std::erase_if(state_->documents, [](const auto& entry) { return entry.second.expired(); });
}

}  // namespace sluice::feed
