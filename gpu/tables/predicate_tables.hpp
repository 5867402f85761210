// The predicates of one segment, family by family, and phase 1 of the match: finding those that an event's values make
// true. The cost depends on what the event contains, not on the number of predicates. Built by one thread; after seal()
// read-only for any thread. The results for an event are kept in an EventState, one per thread.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "gpu/api/event_batch.hpp"
#include "gpu/operators/device_family.hpp"
#include "gpu/operators/substrings/filter.hpp"
#include "gpu/tables/limits.hpp"
#include "gpu/tables/literal_code.hpp"
#include "gpu/tables/number_table.hpp"
#include "gpu/tables/operator_table.hpp"
#include "gpu/tables/range_table.hpp"
#include "gpu/tables/term.hpp"
#include "gpu/tables/text_table.hpp"

namespace sluice::engine {

// Belongs to the matching thread; empty between events (PredicateTables::forget).
struct EventState {
    std::vector<std::uint64_t> bits;          // by PredicateTables::bit()
    std::vector<std::uint32_t> true_codes;    // the positive literals whose bit is set
    std::vector<NumberPosition> positions;    // by attribute of the segment
    std::vector<std::uint32_t> with_numbers;  // the attributes whose position is set
    substrings::Counters searches;            // for operands of `contains`; accumulated until the caller takes them
};

// The same for values that several events share, apart from any event.
struct Evaluated {
    std::vector<std::uint32_t> true_codes;
    std::vector<std::pair<std::uint32_t, NumberPosition>> positions;  // by attribute, in no order

    std::size_t size() const { return true_codes.size() + positions.size(); }
};

class PredicateTables {
public:
    // `name` is the id of the term's attribute, or of its key if it is scanned, in the program's dictionaries. The
    // tables number the attributes that they use; below, "attribute" means that number. Throws LimitError if a family
    // has more predicates than literals can name. If it throws, what was interned before stays as it is.
    LiteralCode intern(const Term& term, std::uint32_t name);  // the positive literal
    // A literal's predicate as it was interned (its views point into the tables).
    Term term(LiteralCode code) const;
    // The id of the literal's name.
    std::uint32_t name(LiteralCode code) const;
    // Prepares for evaluate() and all below it. May be called again if it throws, or after more has been interned.
    void freeze(const std::shared_ptr<operators::OperatorDevices>& devices = nullptr);
    // After freeze(): frees what only intern() needs, which must not be called any more.
    void seal() noexcept { ranges_.seal(); }

    // Adds the predicates that the values make true to the state, which must hold nothing yet for their attributes.
    void evaluate(std::span<const Value> values, EventState& state) const;
    void forget(EventState& state) const;
    // The same as evaluate() in two steps. evaluate_apart() leaves nothing in the state.
    Evaluated evaluate_apart(std::span<const Value> values, EventState& state) const;
    void add(const Evaluated& evaluated, EventState& state) const;

    // Unique to these frozen tables; 0 before freeze().
    std::uint64_t id() const { return id_; }

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

    // The bit of a literal of a bit family. For exists it is the attribute itself.
    std::uint32_t bit(LiteralCode code) const { return bases_[static_cast<std::size_t>(code.family())] + code.index(); }
    std::uint32_t bits() const { return bases_[bit_families]; }
    std::uint32_t attributes() const { return static_cast<std::uint32_t>(names_.size()); }
    std::uint32_t attribute_of(LiteralCode code) const;
    const RangeTable& ranges() const { return ranges_; }
    std::uint32_t scanned(LiteralCode code) const { return scanned_[code.index()]; }
    const OperatorTable& operators() const { return operators_; }
    // The values of an attribute among those of an event.
    std::span<const Value> values_of(std::uint32_t attribute, std::span<const Value> event) const;
    std::uint32_t size(Family family) const;  // the number of predicates; of exists, that of the attributes
    SegmentLoad load() const;                 // of the predicates alone
    // The operands of a textual family, and of a numeric family that compares by equality.
    const TextTable& texts(Family family) const { return const_cast<PredicateTables*>(this)->texts(family); }
    const NumberTable& numbers(Family family) const { return const_cast<PredicateTables*>(this)->numbers(family); }
    // The attribute by name id, or none. Ids beyond the end have none.
    std::span<const std::uint32_t> locals() const { return locals_; }

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
    static void clear(std::uint32_t bit, EventState& state) { state.bits[bit / 64] &= ~(std::uint64_t{1} << bit % 64); }
    TextTable& texts(Family family);
    NumberTable& numbers(Family family) { return family == Family::number_equal ? number_equal_ : number_not_equal_; }
    std::uint32_t local(std::uint32_t name);
    std::uint32_t intern_scanned(std::uint32_t name);
    void make_room(EventState& state) const;
    void set(Family family, std::uint32_t index, EventState& state) const;
    void evaluate_texts(std::uint32_t attribute, std::span<const Value> values, EventState& state) const;
    void evaluate_numbers(std::uint32_t attribute, std::span<const Value> values, EventState& state) const;

    std::uint64_t id_ = 0;
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
    std::vector<substrings::PatternFilter> substrings_;  // of the texts of contains_
};

}  // namespace sluice::engine
