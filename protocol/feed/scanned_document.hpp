// One thread's state for a document on which scanned conditions are evaluated: its index, made when the first condition
// needs it, the steps spent, and for each condition the answers that items share. Belongs to a ScannedLeaves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "protocol/feed/event.hpp"
#include "protocol/feed/scanned_leaves.hpp"
#include "protocol/feed/tree_index.hpp"
#include "protocol/filter/evaluator/evaluator.hpp"

namespace sluice::feed {

class ScannedDocument {
public:
    struct Question {
        std::size_t leaf = 0;  // as in ScannedLeaves::OwnersOf
        const std::shared_ptr<const xpath::Condition>& condition;
        const Event& event;
        const xpath::VariableValues* variables = nullptr;
    };

    // `sharing` is the number of owners for which half of the budget is set aside; 0: nothing is. `spare` is memory for
    // the index. All documents of the ScannedLeaves use it in turn.
    ScannedDocument(const DocumentPtr& document, const ScanLimits& limits, const ScannedLeaves::OwnersOf& owners_of,
                    std::size_t sharing, xpath::DocumentIndex& spare)
        : document_(document), limits_(limits), owners_of_(owners_of), sharing_(sharing), spare_(spare) {}
    ~ScannedDocument();
    ScannedDocument(const ScannedDocument&) = delete;
    ScannedDocument& operator=(const ScannedDocument&) = delete;

    bool expired() const { return document_.expired(); }

    // Sets `steps` to the steps spent on the condition. Propagates what the meter's hook throws.
    std::optional<bool> holds(const Question& question, xpath::Meter& meter, std::uint64_t& steps);

    std::size_t bytes() const { return (index_ ? index_->nodes.bytes() : 0) + memory_.held(); }

private:
    struct Leaf {
        std::shared_ptr<const xpath::Condition> condition;
        std::optional<xpath::KnownParts> parts;
        std::uint64_t spent = 0;
        std::uint64_t uncharged = 0;  // the part of `spent` not yet charged to the owners
        bool over = false;
        std::optional<std::vector<bool>> selected;         // by item
        std::unordered_map<xpath::Node, bool> of_context;  // answers of tests that items share
        std::vector<bool> decided, answers;                // of the others, by item: an event may be matched again
    };

    Leaf& leaf_of(const std::shared_ptr<const xpath::Condition>& condition);
    bool make_index(const Event& event, xpath::Meter& meter);
    std::optional<bool> known(const Leaf& leaf, const Event& event, xpath::Node context) const;
    void keep(Leaf& leaf, const Question& question, xpath::Node context, bool answer) const;
    bool evaluate(Leaf& leaf, const Question& question, xpath::Node context, xpath::Meter& meter);
    bool an_owner_can_pay(std::size_t leaf) const;
    std::uint64_t steps_left(const Leaf& leaf, std::size_t index) const;
    std::uint64_t share_left(std::size_t leaf) const;
    void charge_owners(Leaf& leaf, std::size_t index);
    void keep_within_limit(Leaf& leaf);
    // The part of `steps_max` that this document gets.
    std::uint64_t budget(std::uint64_t steps_max) const;
    std::uint64_t common_budget() const;  // for whoever comes first
    // On all conditions, and on the index so far.
    std::uint64_t spent() const { return spent_ + index_->nodes.bytes_read() / xpath::bytes_per_step; }

    std::weak_ptr<const Document> document_;
    const ScanLimits limits_;
    const ScannedLeaves::OwnersOf& owners_of_;
    const std::size_t sharing_;
    xpath::DocumentIndex& spare_;
    xpath::MeteredMemory memory_;  // declared before the members that allocate in it
    std::optional<TreeIndex> index_;
    std::unordered_map<const xpath::Condition*, Leaf> leaves_;
    Leaf* recent_leaf_ = nullptr;  // the last one evaluated: usually evaluated for many items in turn
    std::size_t item_bytes_ = 0;
    std::uint64_t spent_ = 0;
    bool over_ = false;
    std::unordered_map<ScanOwner, std::uint64_t> spent_of_owner_;
    bool an_owner_is_over_ = false;
};

}  // namespace sluice::feed
