#include "protocol/feed/values/scanned_leaves.hpp"

#include <algorithm>
#include <typeinfo>
#include <unordered_map>
#include <utility>
#include <vector>

#include "protocol/feed/values/bound_variables.hpp"
#include "protocol/feed/values/scanned_document.hpp"

namespace sluice::feed {

namespace {

static_assert(ScannedLeaves::steps_per_pause == xpath::steps_per_pause);

// What is known of a leaf, as long as the conditions and their owners are the same.
struct KnownLeaf {
    std::uint64_t version = 0;                    // of the conditions and owners; another one: nothing is known
    const xpath::Condition* condition = nullptr;  // null: it never holds
    ScannedDocument::Form form;
    std::uint32_t first_owner = 0, owners = 0;  // of State::owner_ids
};

}  // namespace

struct ScannedLeaves::State {
    State(const ScanLimits& l, std::function<void()> pause, Owners o)
        : limits(l), owners(std::move(o)), meter(std::move(pause)) {}

    const ScanLimits limits;
    const Owners owners;
    xpath::Meter meter;
    std::shared_ptr<const Conditions> conditions;
    std::weak_ptr<const Conditions> of_leaves;  // those that `leaves` is about
    std::vector<KnownLeaf> leaves;
    std::vector<ScanOwner> owner_ids;
    std::uint64_t version = 0, owners_version = 0;
    SpareIndexes spare;  // declared before the documents, whose destructors use it
    std::unordered_map<const Document*, ScannedDocument> documents;
    BoundVariables variables;
    std::uint64_t last_steps = 0;
    // The last document is usually used again.
    const Document* recent_address = nullptr;
    ScannedDocument* recent_document = nullptr;

    void forget_leaves();
    KnownLeaf& leaf(std::size_t index);
    ScannedDocument& document(const DocumentPtr& ptr);
};

void ScannedLeaves::State::forget_leaves() {
    ++version;
    owner_ids.clear();
}

KnownLeaf& ScannedLeaves::State::leaf(std::size_t index) {
    KnownLeaf& leaf = leaves[index];
    if (leaf.version == version) return leaf;
    leaf = {version, nullptr, {}, static_cast<std::uint32_t>(owner_ids.size()), 0};
    const engine::ScannedCondition* const condition = (*conditions)[index].get();
    if (condition == nullptr || typeid(*condition) != typeid(xpath::Condition)) return leaf;
    leaf.condition = static_cast<const xpath::Condition*>(condition);
    leaf.form = ScannedDocument::Form(*leaf.condition);
    if (!owners.of) return leaf;
    const std::span<const ScanOwner> of_leaf = owners.of(index);
    owner_ids.insert(owner_ids.end(), of_leaf.begin(), of_leaf.end());
    leaf.owners = static_cast<std::uint32_t>(of_leaf.size());
    return leaf;
}

ScannedDocument& ScannedLeaves::State::document(const DocumentPtr& ptr) {
    if (recent_address == ptr.get() && !recent_document->expired()) return *recent_document;
    auto found = documents.find(ptr.get());
    if (found != documents.end() && found->second.expired()) {  // a new document at the same address
        documents.erase(found);
        found = documents.end();
    }
    if (found == documents.end()) {
        const std::size_t sharing = owners.count ? owners.count() : 0;
        found = documents.try_emplace(ptr.get(), ptr, limits, sharing, spare).first;
    }
    recent_address = ptr.get();
    recent_document = &found->second;
    return found->second;
}

ScannedLeaves::ScannedLeaves(const ScanLimits& limits, std::function<void()> pause, Owners owners)
    : state_(std::make_unique<State>(limits, std::move(pause), std::move(owners))) {}
ScannedLeaves::~ScannedLeaves() = default;
ScannedLeaves::ScannedLeaves(ScannedLeaves&&) noexcept = default;
ScannedLeaves& ScannedLeaves::operator=(ScannedLeaves&&) noexcept = default;

void ScannedLeaves::assign(std::shared_ptr<const Conditions> conditions) {
    end_batch();
    state_->conditions = std::move(conditions);
    if (state_->conditions && state_->of_leaves.lock() != state_->conditions) {
        state_->of_leaves = state_->conditions;
        state_->forget_leaves();
        state_->leaves.resize(std::max(state_->leaves.size(), state_->conditions->size()));
    }
    begin_batch();
}

std::optional<bool> ScannedLeaves::holds(std::size_t index, const Event& event) {
    const KnownLeaf& leaf = state_->leaf(index);
    state_->last_steps = 0;
    if (leaf.condition == nullptr) return false;
    const std::span<const ScanOwner> owners(state_->owner_ids.data() + leaf.first_owner, leaf.owners);
    ScannedDocument& document = state_->document(event.document);
    const auto answer = document.holds({leaf.form, *leaf.condition, (*state_->conditions)[index], owners, event},
                                       state_->variables, state_->meter);
    state_->last_steps = document.last_steps();
    return answer;
}

std::uint64_t ScannedLeaves::last_steps() const { return state_->last_steps; }

std::size_t ScannedLeaves::bytes() const {
    std::size_t bytes = state_->variables.bytes();
    for (const auto& [address, document] : state_->documents) bytes += document.bytes();
    return bytes;
}

void ScannedLeaves::begin_batch() {
    const std::uint64_t version = state_->owners.version ? state_->owners.version() : state_->owners_version + 1;
    if (state_->owners.of && version != state_->owners_version) state_->forget_leaves();
    state_->owners_version = version;
}

void ScannedLeaves::end_batch() {
    state_->variables.forget();
    state_->recent_address = nullptr;
    std::erase_if(state_->documents, [](const auto& entry) { return entry.second.expired(); });
}

}  // namespace sluice::feed
