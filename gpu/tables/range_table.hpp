// Distinct closed ranges of numbers by dense index: (attribute, lo, hi), with infinity for an open side. The numbers of
// an attribute are reduced to the least and the greatest: a range holds if the greatest >= lo and the least <= hi. For
// a single value v that is lo <= v <= hi. For several it is `some value >= lo and some value <= hi`, which is exactly
// what the two comparisons behind the range mean.
//
// After freeze() bounds are ranks among the attribute's distinct bounds, so deciding a range compares integers. Built
// by one thread; after seal() read-only for any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/tables/hash.hpp"

namespace sluice::engine {

struct Range {
    std::uint32_t attribute = 0;
    double lo = 0, hi = 0;  // never NaN
};

struct RankedRange {
    std::uint32_t attribute, lo, hi;  // lo and hi: ranks among the attribute's bounds
};

// Where an event's numbers lie among the bounds of one attribute: bounds of rank < lo_end are <= the greatest number,
// bounds of rank >= hi_begin are >= the least. So a single number has hi_begin <= lo_end <= hi_begin + 1.
struct NumberPosition {
    std::uint32_t lo_end = 0;
    std::uint32_t hi_begin = none;

    constexpr bool inside(const RankedRange& r) const { return (r.lo < lo_end) & (r.hi >= hi_begin); }
};

class RangeTable {
public:
    std::uint32_t intern(const Range& range);
    // Ranks the ranges interned so far, and may be called again after more. If it throws, nothing has changed.
    void freeze();
    // After freeze(): frees what only intern() needs, which must not be called any more.
    void seal() noexcept;

    std::uint32_t size() const { return static_cast<std::uint32_t>(ranges_.empty() ? ranked_.size() : ranges_.size()); }
    Range range(std::uint32_t index) const;
    const RankedRange& ranked(std::uint32_t index) const { return ranked_[index]; }

    // The number of distinct bounds, lo and hi together, of the attribute's ranges.
    std::uint32_t bounds(std::uint32_t attribute) const {
        return attribute < bounds_.size() ? static_cast<std::uint32_t>(bounds_[attribute].size()) : 0;
    }
    // The bounds themselves, ascending. Only after freeze().
    std::span<const double> bound_values(std::uint32_t attribute) const {
        if (attribute >= bounds_.size()) return {};
        return bounds_[attribute];
    }
    std::span<const RankedRange> ranked() const { return ranked_; }
    NumberPosition locate(std::uint32_t attribute, double least, double greatest) const;

private:
    static std::uint64_t hash(const Range& r);

    std::vector<Range> ranges_;  // until seal()
    HashIndex index_;            // until seal()
    std::vector<RankedRange> ranked_;
    std::vector<std::vector<double>> bounds_;  // by attribute; ascending, distinct
};

}  // namespace sluice::engine
