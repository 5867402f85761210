// One thread's state for a document on which scanned conditions are evaluated: its index, made when the first condition
// needs it, the steps spent, and for each condition the answers that items share. A condition that nobody can pay for
// any more is refused with hardly any work, since there may be thousands of them. Belongs to a ScannedLeaves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "protocol/feed/model/event.hpp"
#include "protocol/feed/model/tree_index.hpp"
#include "protocol/feed/values/bound_variables.hpp"
#include "protocol/feed/values/scan_answers.hpp"
#include "protocol/feed/values/scan_limits.hpp"
#include "protocol/filter/evaluator/evaluator.hpp"

namespace sluice::feed {

// Indexes of former documents, whose memory the next ones reuse: as many as the documents of a batch usually need.
class SpareIndexes {
public:
    SpareIndexes() { kept_.reserve(indexes_max); }

    xpath::DocumentIndex take();  // an empty one if none is left
    void keep(xpath::DocumentIndex index) noexcept;

private:
    static constexpr std::size_t indexes_max = 32;
    static constexpr std::size_t bytes_max = 4u << 20;  // of all of them

    std::vector<xpath::DocumentIndex> kept_;
    std::size_t bytes_ = 0;
};

class ScannedDocument {
public:
    // What must be known of a condition to refuse it: kept apart, since reading thousands of conditions takes time.
    struct Form {
        Form() = default;
        explicit Form(const xpath::Condition& condition);

        std::uint32_t parents = 0;
        std::uint32_t steps_for_parts = 0;  // that are made before an evaluation
        bool is_of_document = false;        // all items have the same answer
    };
    struct Question {
        const Form& form;
        const xpath::Condition& condition;
        const std::shared_ptr<const engine::ScannedCondition>& handle;  // of the condition
        std::span<const ScanOwner> owners;
        const Event& event;
    };

    // `sharing` is the number of owners for which half of the budget is set aside; 0: nothing is. All documents
    // of the ScannedLeaves share `spare`.
    ScannedDocument(const DocumentPtr& document, const ScanLimits& limits, std::size_t sharing, SpareIndexes& spare)
        : document_(document), limits_(limits), sharing_(sharing), spare_(spare) {}
    ~ScannedDocument();
    ScannedDocument(const ScannedDocument&) = delete;
    ScannedDocument& operator=(const ScannedDocument&) = delete;

    bool expired() const { return document_.expired(); }

    // Propagates what the meter's hook throws.
    std::optional<bool> holds(const Question& question, BoundVariables& variables, xpath::Meter& meter);

    // Steps of the last evaluation; 0 if the last answer or refusal took none.
    std::uint64_t last_steps() const { return last_steps_; }
    // On all conditions, and on the index so far.
    std::uint64_t spent() const { return spent_ + (index_ ? index_->nodes.bytes_read() / xpath::bytes_per_step : 0); }
    std::size_t bytes() const {
        return (index_ ? index_->nodes.bytes() + index_->tree.bytes() : 0) + memory_.held() +
               leaves_.capacity() * sizeof(Leaf) + numbers_.bytes() + leaf_bytes_;
    }

private:
    struct Leaf {
        std::shared_ptr<const engine::ScannedCondition> handle;  // so that its address remains in use
        std::unique_ptr<xpath::KnownParts> parts;                // if later items need them
        std::uint64_t spent = 0;
        bool over = false;
        ItemAnswers answers;  // by item; if all items have the same one, that of item 0
        std::unique_ptr<std::unordered_map<xpath::Node, bool>> of_context;  // of tests of an item's ancestor

        std::size_t bytes() const {
            return (parts ? parts->bytes() : 0) + answers.bytes() + (of_context ? 64 * of_context->size() : 0);
        }
    };
    // The parts of the limits that this document gets.
    struct Budgets {
        std::uint64_t leaf = 0, owner = 0;
        std::uint64_t common = 0;  // for whoever comes first
        std::uint64_t share = 0;   // of each owner, of what is set aside
    };

    bool make_index(const Event& event, xpath::Meter& meter);
    void set_budgets(const Document& document);
    Leaf* find(const xpath::Condition& condition);
    Leaf& add(const Question& question);
    std::optional<bool> known(const Leaf& leaf, const Question& question, xpath::Node context) const;
    void keep(Leaf& leaf, const Question& question, xpath::Node context, bool answer);
    bool evaluate(Leaf& leaf, bool is_new, const Question& question, xpath::Node context, BoundVariables& variables,
                  xpath::Meter& meter);
    bool decide(Leaf& leaf, const Question& question, xpath::Node context, const xpath::Evaluator& evaluator,
                xpath::Meter& meter);
    std::uint64_t steps_left(const Leaf* leaf, std::span<const ScanOwner> owners);
    std::uint64_t spent_by(ScanOwner owner);
    void charge(Leaf& leaf, std::span<const ScanOwner> owners, std::uint64_t steps);

    std::weak_ptr<const Document> document_;
    const ScanLimits limits_;
    const std::size_t sharing_;
    SpareIndexes& spare_;
    xpath::MeteredMemory memory_;  // declared before the members that allocate in it
    std::optional<TreeIndex> index_;
    std::vector<Leaf> leaves_;
    AddressTable numbers_;        // of leaves, by condition
    std::size_t leaf_bytes_ = 0;  // that they own
    Budgets budgets_;
    std::uint64_t spent_ = 0, last_steps_ = 0;
    bool over_ = false;
    std::unordered_map<ScanOwner, std::uint64_t> spent_of_owner_;
    std::pair<ScanOwner, std::uint64_t> recent_owner_{};  // the last one looked up: usually asked about again
    bool an_owner_is_over_ = false;
};

}  // namespace sluice::feed
