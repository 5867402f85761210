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

#include "gpu/cpu/observed_shares.hpp"
#include "gpu/tables/predicate_tables.hpp"

namespace sluice {

// How a conjunction is to be found: by one literal, by two, or not by any. The literals are its most selective ones;
// by_scan may have them too.
struct AccessChoice {
    enum Kind : std::uint8_t { by_scan, by_one, by_two } kind = by_scan;
    std::optional<LiteralCode> first, second;
    double found = 1;  // the share of the events expected to find the conjunction
};

// Level l of a grid has cells of width << l neighbouring bounds.
struct RangeCell {
    std::uint32_t attribute, level, cell;
};
// The finest cell that holds the range together with the cell above it.
RangeCell cell_of(const RankedRange& range, std::uint32_t width);
// Of the grid over an attribute with so many bounds, when ranges serve as tokens in pairs: coarse, so that an event has
// few pairs to look up. A range that is a token alone stands in the finest grid, of width 1.
std::uint32_t pair_width(std::uint32_t bounds, std::size_t rows);

constexpr std::uint64_t token_key(LiteralCode code) { return mix(code.bits()); }
constexpr std::uint64_t token_key(RangeCell c, bool in_pair) {
    return mix(std::uint64_t{in_pair ? 3u : 2u} << 62 | std::uint64_t{c.attribute} << 37 |
               std::uint64_t{c.level} << 32 | c.cell);
}

class AccessChooser {
public:
    // Estimates selectivity from the operands that there are, and from what was observed if that is not null.
    explicit AccessChooser(const PredicateTables& tables, const ObservedShares* observed = nullptr);

    // First every conjunction is counted, then each may be chosen for.
    void count(std::span<const std::uint32_t> codes);
    AccessChoice choose(std::span<const std::uint32_t> codes) const;
    std::size_t counted() const { return counted_; }

private:
    struct Candidate {
        LiteralCode code;
        double selectivity;  // expected share of the events that have the token
    };
    struct Best {
        std::optional<Candidate> first, second;
    };
    Best best(std::span<const std::uint32_t> codes) const;
    std::optional<Candidate> candidate(LiteralCode code) const;
    Candidate bit_candidate(LiteralCode code, double prior) const;
    double pair_selectivity(const Candidate& candidate) const;
    double range_selectivity(LiteralCode code, std::uint32_t width) const;

    const PredicateTables& tables_;
    const ObservedShares* observed_;
    std::vector<double> equality_selectivity_;  // by attribute
    std::vector<double> range_selectivity_;     // by range, as a token alone
    std::vector<std::uint32_t> led_;            // by bit: conjunctions that have this token as their best
    std::size_t counted_ = 0;
};

}  // namespace sluice
