// The conjunctions of a batch that only their measured literals can still decide. They wait until the end of the batch.
// Then each operator family is asked once for all (predicate, text) pairs that still matter, cheap families first, so
// that pairs they rule out never reach the costly ones. Values that events share are asked of their group, once.
// Scratch of one thread; holds no rows between batches.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "gpu/api/event_batch.hpp"
#include "gpu/cpu/segment/accepted.hpp"
#include "gpu/cpu/segment/fair_shares.hpp"
#include "gpu/cpu/segment/shared_findings.hpp"
#include "gpu/operators/family.hpp"
#include "gpu/tables/predicate_tables.hpp"

namespace sluice::cpu {

class DeferredRows {
public:
    // `codes`: the conjunction's measured literals; they must stay in place until decide(). Bit 31 of a code is
    // ignored. `unknown`: those of the row's events for which another literal is undecided.
    void add(const Accepted& row, std::uint32_t unknown, std::span<const std::uint32_t> codes) {
        rows_.push_back({row, unknown, codes});
    }
    bool empty() const { return rows_.empty(); }

    // Appends the rows that hold, with their events. Appends to `undecided` the rows and events that no literal rules
    // out, but of which one is undecided, or would take longer than the batch allows. Then forgets all rows.
    void decide(const engine::PredicateTables& tables, const engine::EventBatch& batch, SharedFindings& shared,
                std::vector<Accepted>& accepted, std::vector<Accepted>& undecided);

private:
    struct Row {
        Accepted row;
        std::uint32_t unknown;
        std::span<const std::uint32_t> codes;
    };
    struct Question {  // a predicate to evaluate
        std::uint32_t predicate, attribute, index_in_family;
        std::uint32_t computation;    // the same for the predicates that are computed together, in every batch
        std::uint32_t computed_with;  // the first slot of the predicates that are computed together
        operators::OperatorCost cost;
    };
    struct Texts {  // the values of one attribute of one source: `count` of texts_ from `first` on
        std::uint32_t source = engine::none, first = 0, count = 0;
    };
    struct Draft {  // of a pair
        std::uint32_t slot, text;
    };

    // Masks have a bit for each source of texts: first the events, then the groups of values that they share.
    using Masks = std::vector<std::uint32_t>;
    void set(Masks& masks, std::uint32_t slot, std::uint32_t source) const {
        masks[slot * words_ + source / 32] |= 1u << source % 32;
    }
    bool test(const Masks& masks, std::uint32_t slot, std::uint32_t source) const {
        return (masks[slot * words_ + source / 32] >> source % 32 & 1) != 0;
    }
    void ask(const engine::OperatorTable& operators, operators::OperatorFamilyKind family);
    void ask_groups(const engine::PredicateTables& tables, const engine::EventBatch& batch, SharedFindings& shared);
    void share_answers(const engine::EventBatch& batch, SharedFindings& shared);
    template <class Visit>
    void for_each_asked(Visit visit) const;
    void sort_questions_by_source(std::size_t sources);
    void collect_pairs(const engine::PredicateTables& tables, const engine::EventBatch& batch, SharedFindings& shared,
                       operators::OperatorFamilyKind kind);
    double keep_within(std::size_t first, std::uint32_t source, double ns_max, const FairShares::OwnersOf& owners_of);
    const Texts& texts_of(const engine::PredicateTables& tables, const engine::EventBatch& batch,
                          std::uint32_t attribute, std::uint32_t source);
    void evaluate(const operators::OperatorFamily& family, operators::OperatorFamilyKind kind,
                  const engine::EventBatch& batch);
    double added_ns(const Draft& draft);
    void narrow(const engine::OperatorTable& operators, operators::OperatorFamilyKind family);
    void forget_questions(const engine::OperatorTable& operators);

    std::vector<Row> rows_;

    // The questions to a family: predicates by slot, ascending, and masks[slot * words_ + w] of the sources that each
    // is asked for, of those for which it holds, and of those with a text for which it is not computed.
    std::size_t words_ = 0;
    std::vector<Question> questions_;
    std::vector<std::uint32_t> slot_of_;  // by predicate, or none
    Masks asked_, holds_, left_out_;
    Masks known_;  // of groups: those whose answers are known
    std::vector<std::size_t> first_of_source_;
    std::vector<std::uint32_t> slots_;  // slots_[first_of_source_[s]] …: slots asked for source s

    std::vector<std::string_view> texts_;
    std::vector<std::uint32_t> source_of_;  // by text
    std::vector<Texts> latest_texts_;       // by attribute: those of the latest source
    std::vector<Draft> drafts_;
    std::vector<FairShares::Computation> computations_;  // of one source
    FairShares shares_;
    std::vector<std::uint32_t> latest_computed_;  // by slot: the last text of its shared computation
    std::vector<operators::OperatorFamily::Pair> pairs_;
    std::vector<std::uint8_t> answers_;
};

}  // namespace sluice::cpu
