// Access tokens: what of an event leads to the conjunctions worth looking at (the access predicates of Fabret et al.,
// 2001, taken in pairs where one alone is shared by many). A literal of a bit family is its own token. A range stands
// in a cell of a grid over its attribute's bounds, the grid chosen by its width so that it covers at most two
// neighbouring cells; an event then asks for the cell of its number and the one below. Pure functions of frozen tables;
// any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gpu/tables/predicate_tables.hpp"

namespace sluice {

struct AccessToken {
    LiteralCode code;
    std::uint64_t key = 0;
    double selectivity = 1;  // expected share of the events that have it
};

// How a conjunction is to be found.
struct AccessChoice {
    enum Kind : std::uint8_t { by_scan, by_one, by_two } kind = by_scan;
    std::optional<AccessToken> first, second;  // the most selective literals; by_scan may have them too
};

// Cells of the ranges of one attribute at one level have 2^level neighbouring bounds each.
struct RangeCell {
    std::uint32_t attribute, level, cell;
};
RangeCell cell_of(const RangeTable& ranges, const RankedRange& range);

constexpr std::uint64_t token_key(LiteralCode code) { return mix(code.bits()); }
constexpr std::uint64_t token_key(RangeCell c) {
    return mix(std::uint64_t{1} << 63 | std::uint64_t{c.attribute} << 37 | std::uint64_t{c.level} << 32 | c.cell);
}

class AccessChooser {
public:
    explicit AccessChooser(const PredicateTables& tables);

    // First every conjunction is counted, then each may be chosen for.
    void count(std::span<const std::uint32_t> codes);
    AccessChoice choose(std::span<const std::uint32_t> codes) const;

private:
    struct Best {
        std::optional<AccessToken> first, second;
    };
    Best best(std::span<const std::uint32_t> codes) const;
    std::optional<AccessToken> token(LiteralCode code) const;

    const PredicateTables& tables_;
    std::vector<double> equality_selectivity_;  // by attribute
    std::vector<std::uint32_t> led_;            // by bit: conjunctions that have this token as their best
};

}  // namespace sluice
