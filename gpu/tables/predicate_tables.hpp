// The predicates of one segment, family by family, and phase 1 of the match: which of them an event's values make true.
// The cost follows what the event contains, not how many predicates there are. Built by one thread; after freeze()
// read-only for any. What is found out about an event lies in an EventState, one per thread.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/event_batch.hpp"
#include "gpu/operators/exact/filter.hpp"
#include "gpu/tables/literal_code.hpp"
#include "gpu/tables/number_table.hpp"
#include "gpu/tables/operator_table.hpp"
#include "gpu/tables/range_table.hpp"
#include "gpu/tables/term.hpp"
#include "gpu/tables/text_table.hpp"

namespace sluice {

// Belongs to the thread that matches; empty between events (PredicateTables::forget).
struct EventState {
    std::vector<std::uint64_t> bits;          // by PredicateTables::bit()
    std::vector<std::uint32_t> true_codes;    // the positive literals whose bit is set
    std::vector<NumberPosition> positions;    // by attribute of the segment
    std::vector<std::uint32_t> with_numbers;  // the attributes whose position is set
    exact::Counters searches;                 // for operands of `contains`: added up until somebody takes them
};

class PredicateTables {
public:
    // `name` is the id of the term's attribute, or of its key if it is scanned, in the program's dictionaries. The
    // tables number the attributes that they use by themselves: in what follows "attribute" means that number.
    LiteralCode intern(const Term& term, std::uint32_t name);
    // A literal as it was interned (views point into the tables), and the id of its name.
    Term term(LiteralCode code) const;
    std::uint32_t name(LiteralCode code) const;
    void freeze(const std::shared_ptr<OperatorDevices>& devices = nullptr);

    void evaluate(std::span<const Value> event, EventState& state) const;
    void forget(EventState& state) const;

    // Whether a literal that is neither scanned nor measured holds for the event that the state describes.
    bool holds(LiteralCode code, const EventState& state) const {
        bool value = false;
        if (code.is_bit()) {
            value = test(bit(code), state);
            if (code.is_not_equal()) value = !value && test(attribute_of(code), state);
        } else {
            const RankedRange& r = ranges_.ranked(code.index());
            value = state.positions[r.attribute].inside(r);
        }
        return value != code.negated();
    }

    // Where a literal of a bit family has its bit; that of exists is the attribute itself.
    std::uint32_t bit(LiteralCode code) const { return bases_[static_cast<std::size_t>(code.family())] + code.index(); }
    std::uint32_t bits() const { return bases_[bit_families]; }
    std::uint32_t attributes() const { return static_cast<std::uint32_t>(names_.size()); }
    std::uint32_t attribute_of(LiteralCode code) const;
    const RangeTable& ranges() const { return ranges_; }
    std::uint32_t scanned(LiteralCode code) const { return scanned_[code.index()]; }
    const OperatorTable& operators() const { return operators_; }
    // The event's values of an attribute.
    std::span<const Value> values_of(std::uint32_t attribute, std::span<const Value> event) const;
    std::uint32_t size(Family family) const;  // of a bit family
    // The operands of a textual family, and of a numeric one that is compared by equality.
    const TextTable& texts(Family family) const { return const_cast<PredicateTables*>(this)->texts(family); }
    const NumberTable& numbers(Family family) const { return const_cast<PredicateTables*>(this)->numbers(family); }
    // The attribute by name id, or none; names after the last are none, too.
    std::span<const std::uint32_t> locals() const { return locals_; }
    std::uint32_t predicates() const;
    std::size_t bytes() const;

private:
    // What phase 1 does with the values of one attribute.
    struct Plan {
        std::size_t equal_bytes_max = 0;  // of the operands; longer values need no look-up
        bool equal = false, number_equal = false, not_equal = false, number_not_equal = false;
        std::vector<std::uint32_t> prefix_sizes, suffix_sizes;  // ascending, distinct
        std::uint32_t substrings = none;                        // in substrings_
    };

    struct SubstringSink;

    static bool test(std::uint32_t bit, const EventState& state) { return (state.bits[bit / 64] >> bit % 64 & 1) != 0; }
    TextTable& texts(Family family);
    NumberTable& numbers(Family family) { return family == Family::number_equal ? number_equal_ : number_not_equal_; }
    std::uint32_t local(std::uint32_t name);
    std::uint32_t intern_scanned(std::uint32_t name);
    void set(Family family, std::uint32_t index, EventState& state) const;
    void evaluate_texts(std::uint32_t attribute, std::span<const Value> values, EventState& state) const;
    void evaluate_numbers(std::uint32_t attribute, std::span<const Value> values, EventState& state) const;

    std::vector<std::uint32_t> locals_;  // attribute by name id, or none
    std::vector<std::uint32_t> names_;   // name id by attribute
    TextTable equal_, contains_, starts_with_, ends_with_, not_equal_;
    NumberTable number_equal_, number_not_equal_;
    RangeTable ranges_;
    std::vector<std::uint32_t> scanned_;  // name ids
    HashIndex scanned_index_;
    OperatorTable operators_;

    std::array<std::uint32_t, bit_families + 1> bases_{};
    std::vector<Plan> plans_;
    std::vector<exact::PatternFilter> substrings_;  // of the texts of contains_
};

}  // namespace sluice
