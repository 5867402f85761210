// What a segment and a set of subscriptions can hold, and why. A set stops merging segments before a limit is reached,
// and refuses what can't be held when it is added. Tests set lower limits. Plain values; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "gpu/operators/family.hpp"
#include "gpu/tables/hash.hpp"
#include "gpu/tables/literal_code.hpp"
#include "gpu/tables/term.hpp"

namespace sluice::engine {

// What a segment holds, or an upper bound of it: the loads of two segments together are at least that of both merged.
struct SegmentLoad {
    std::array<std::uint64_t, families> predicates{};  // distinct ones by family; for exists, the attributes
    std::uint64_t record_words = 0;                    // for each conjunction a target and its literals
    std::uint64_t entries = 0;                         // subscriptions
    std::uint64_t operand_bytes = 0;                   // of texts, and of the list of all names; not of operators

    std::uint64_t& of(Family family) { return predicates[static_cast<std::size_t>(family)]; }
    std::uint64_t of(Family family) const { return predicates[static_cast<std::size_t>(family)]; }
    SegmentLoad& operator+=(const SegmentLoad& other);
    friend SegmentLoad operator+(SegmentLoad a, const SegmentLoad& b) { return a += b; }
};

// Estimated bytes of a segment with this load, and of a predicate without its operand. As measured for predicates on
// attributes of their own, which take the most.
std::size_t segment_bytes(const SegmentLoad& load);
std::size_t predicate_bytes(Family family);

// An upper bound of what the filter adds to any segment. Without operand_bytes.
SegmentLoad load_bound(const NormalForm& filter);

struct SegmentLimits {
    std::uint64_t predicates = std::uint64_t{1} << 26;          // of a family: the index in a LiteralCode
    std::uint64_t measured = operators::family_predicates_max;  // instead, of the family `measured`
    // Records are found by offsets of 32 bits, which kernels advance by several words beyond the last one.
    std::uint64_t record_words = (std::uint64_t{1} << 32) - (1u << 16);
    std::uint64_t entries = std::uint64_t{1} << 30;  // the two bits above an entry's index are flags (RowTarget)

    constexpr std::uint64_t of(Family family) const { return family == Family::measured ? measured : predicates; }
    bool fit(const SegmentLoad& load) const;
    // Names the first limit that the load exceeds: "70 number_equal predicates; a segment holds at most 64". Empty if
    // it fits.
    std::string excess(const SegmentLoad& load) const;
};

// Of a set, however many segments it has.
struct SetLimits {
    SegmentLimits segment = {};
    std::uint64_t slots = none;  // numbers of 32 bits; `none` is not one
    std::uint64_t names = none;  // of attributes, and of scanned keys: the same
};

static_assert(SegmentLimits{}.predicates - 1 <= LiteralCode::index_max);
static_assert(SegmentLimits{}.measured - 1 <= LiteralCode::index_max);
static_assert(bit_families * SegmentLimits{}.predicates < none, "an event's bits have numbers (PredicateTables::bit)");
static_assert(SegmentLimits{}.record_words < none);

}  // namespace sluice::engine
