// The conjunctions of a batch whose other literals hold and whose measured ones are still to be decided. They wait
// until the batch is through; then each family of operators is asked once for all (predicate, text) pairs that still
// matter, the cheap families first, so that what they decide is not asked of the dear ones. Scratch of one thread;
// holds no rows between batches.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "gpu/cpu/accepted.hpp"
#include "gpu/event_batch.hpp"
#include "gpu/operators/family.hpp"
#include "gpu/tables/predicate_tables.hpp"

namespace sluice {

class DeferredRows {
public:
    // `codes`: measured literals, all that is left of the conjunction; they stay where they are until decide(). Bit 31
    // of a code means nothing.
    void add(const Accepted& row, std::span<const std::uint32_t> codes) { rows_.push_back({row, codes}); }
    bool empty() const { return rows_.empty(); }

    // Appends the rows that hold, with the events for which they do, and those that would have taken longer than the
    // batch allows, with the events that are not decided; forgets them all.
    void decide(const PredicateTables& tables, const EventBatch& batch, std::vector<Accepted>& accepted,
                std::vector<Accepted>& undecided);

private:
    struct Row {
        Accepted row;
        std::span<const std::uint32_t> codes;
    };
    struct Question {  // a predicate that is asked
        std::uint32_t predicate, attribute, index_in_family;
        std::uint32_t computed_with;  // the first slot of those that are computed together
        OperatorCost cost;
    };
    struct Texts {  // the values of one attribute of one event: so many of texts_ from `first` on
        std::uint32_t event = none, first = 0, count = 0;
    };
    struct Draft {  // of a pair
        std::uint32_t slot, text;
    };

    void ask(const OperatorTable& operators, OperatorFamilyKind family);
    template <class Visit>
    void for_each_asked(Visit visit) const;
    void sort_questions_by_event(std::size_t events);
    void collect_pairs(const PredicateTables& tables, const EventBatch& batch);
    const Texts& texts_of(const PredicateTables& tables, const EventBatch& batch, std::uint32_t attribute,
                          std::uint32_t event);
    void evaluate(const OperatorFamily& family, const EventBatch& batch);
    double added_ns(const Draft& draft);
    void narrow(const OperatorTable& operators, OperatorFamilyKind family, std::vector<Accepted>& undecided);
    void forget_questions(const OperatorTable& operators);

    std::vector<Row> rows_;

    // What a family is asked: predicates by slot, ascending, and masks[slot * words_ + w] of the events that each is
    // asked for, of those for which it holds, and of those that have a text for which it is not computed.
    std::size_t words_ = 0;
    std::vector<Question> questions_;
    std::vector<std::uint32_t> slot_of_;  // by predicate, or none
    std::vector<std::uint32_t> asked_, holds_, left_out_;
    std::vector<std::uint32_t> first_of_event_, slots_;  // slots_[first_of_event_[e]] …: those asked for event e

    std::vector<std::string_view> texts_;
    std::vector<std::uint32_t> event_of_;  // by text
    std::vector<Texts> latest_texts_;      // by attribute: those of the event that was looked at last
    std::vector<Draft> drafts_;
    std::vector<std::uint32_t> latest_computed_;  // by slot: of which text, of what is computed together
    std::vector<OperatorFamily::Pair> pairs_;
    std::vector<std::uint8_t> answers_;
};

}  // namespace sluice
