// Access tokens: what of an event leads to the conjunctions worth looking at (the access predicates of Fabret et al.,
// 2001, taken in pairs or in threes where one alone is shared by many). A literal of a bit family is its own token. A
// range stands in a cell of a grid over its attribute's bounds, the grid chosen by its width so that it covers at most
// two neighbouring cells; an event then asks for the cell of its number and the one below. Pure functions of frozen
// tables; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gpu/cpu/observed_shares.hpp"
#include "gpu/tables/predicate_tables.hpp"

namespace sluice {

// How a conjunction is to be found: by so many of its literals, the most selective ones, together; by none of them if
// it is scanned, though it may have a first one then, too.
struct AccessChoice {
    static constexpr std::uint32_t tokens_max = 3;

    std::uint32_t tokens = 0;
    std::array<std::optional<LiteralCode>, tokens_max> literals;
    double found = 1;  // the share of the events expected to find the conjunction
};

// Level l of a grid has cells of width << l neighbouring bounds.
struct RangeCell {
    std::uint32_t attribute, level, cell;
};
// The finest cell that holds the range together with the cell above it.
RangeCell cell_of(const RankedRange& range, std::uint32_t width);
// Of the grid over an attribute with so many bounds, where so many tokens lead to each of the rows together: coarse, so
// that an event has few pairs or threes to look up. A range that is a token alone stands in the finest grid, of
// width 1.
std::uint32_t grid_width(std::uint32_t bounds, std::size_t rows, std::uint32_t tokens);

constexpr std::uint64_t token_key(LiteralCode code) { return mix(code.bits()); }
constexpr std::uint64_t token_key(RangeCell c, std::uint32_t tokens) {
    return mix(std::uint64_t{tokens} << 62 | std::uint64_t{c.attribute} << 37 | std::uint64_t{c.level} << 32 | c.cell);
}

// Whether rows stand under three tokens where that is better than two; and if so, whether all three must be of one half
// of the attributes, which leaves an event a quarter as many threes to look up.
enum class Threes : std::uint8_t { no, of_any, of_one_half };
constexpr std::uint32_t half_of(std::uint32_t attribute) { return attribute & 1; }

class AccessChooser {
public:
    // Estimates selectivity from the operands that there are, and from what was observed if that is not null.
    explicit AccessChooser(const PredicateTables& tables, const ObservedShares* observed = nullptr);

    // First every conjunction is counted, then each may be chosen for.
    void count(std::span<const std::uint32_t> codes);
    void end_count() { threes_ = choose_threes(); }
    Threes threes() const { return threes_; }
    AccessChoice choose(std::span<const std::uint32_t> codes) const;
    std::size_t counted() const { return counted_; }

private:
    struct Candidate {
        LiteralCode code;
        double selectivity;  // expected share of the events that have the token
    };
    using Best = std::array<std::optional<Candidate>, AccessChoice::tokens_max>;  // the best one first
    Best best(std::span<const std::uint32_t> codes) const;
    Best best_of_half(std::span<const std::uint32_t> codes, const Best& best) const;
    Best best_together(std::span<const std::uint32_t> codes, const Best& best) const;
    std::optional<Candidate> candidate(LiteralCode code) const;
    Candidate bit_candidate(LiteralCode code, double prior) const;
    void count_token(const Candidate& candidate);
    Threes choose_threes() const;
    double selectivity(const Candidate& candidate, std::uint32_t tokens) const;
    double range_selectivity(LiteralCode code, std::uint32_t width) const;

    const PredicateTables& tables_;
    const ObservedShares* observed_;
    std::vector<double> equality_selectivity_;  // by attribute
    std::vector<double> range_selectivity_;     // by range, as a token alone
    std::vector<std::uint32_t> led_;            // by bit: conjunctions that have this token as their best
    std::vector<double> tokens_;                // by attribute: tokens of it that an event is expected to have
    std::vector<std::uint8_t> token_counted_;   // by bit: is among those
    std::vector<std::uint8_t> range_counted_;   // by attribute: its ranges are
    // Rows an event finds if each is found by its best two tokens, three, or three of one half.
    double found_by_two_ = 0, found_by_three_ = 0, found_by_half_ = 0;
    Threes threes_ = Threes::no;
    std::size_t counted_ = 0;
};

}  // namespace sluice
