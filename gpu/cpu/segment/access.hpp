// Access tokens: the parts of an event that lead to conjunctions worth checking (the access predicates of Fabret et
// al., 2001, combined in pairs or triples where one alone is shared by many). A literal of a bit family is its own
// token. A range is assigned to a cell of a grid over its attribute's bounds. The grid level is chosen by the range's
// width so that the range covers at most two neighbouring cells; an event then looks up the cell of its number and the
// one below. Pure functions of frozen tables; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gpu/cpu/segment/observed_shares.hpp"
#include "gpu/cpu/segment/range_cell.hpp"
#include "gpu/tables/predicate_tables.hpp"

namespace sluice::cpu {

// How a conjunction is found: by the given number of its most selective literals together, or by none if it belongs in
// a cluster. In a cluster it may still have a first literal.
struct AccessChoice {
    static constexpr std::uint32_t tokens_max = 3;

    std::uint32_t tokens = 0;
    std::array<std::optional<engine::LiteralCode>, tokens_max> literals;
    double found = 1;  // the share of events expected to find the conjunction
};

// The finest cell that contains the range together with the cell above it.
RangeCell cell_of(const engine::RankedRange& range, std::uint32_t width);
// The width of the grid over an attribute with so many bounds, for rows found by `tokens` tokens together: coarse, so
// that an event has few pairs or triples to look up. A range that is a token alone uses the finest grid, of width 1.
std::uint32_t grid_width(std::uint32_t bounds, std::size_t rows, std::uint32_t tokens);

constexpr std::uint64_t token_key(engine::LiteralCode code) { return engine::mix(code.bits()); }
constexpr std::uint64_t token_key(RangeCell c, std::uint32_t tokens) {
    return engine::mix(std::uint64_t{tokens} << 62 | std::uint64_t{c.attribute} << 37 | std::uint64_t{c.level} << 32 |
                       c.cell);
}

// Whether rows may be found by three tokens where that is better than two; and if so, whether all three must be of one
// half of the attributes, which leaves an event a quarter as many triples to look up.
enum class Triples : std::uint8_t { no, of_any, of_one_half };
constexpr std::uint32_t half_of(std::uint32_t attribute) { return attribute & 1; }

class AccessChooser {
public:
    // Estimates selectivity from the operands, and from `observed` if it is not null.
    explicit AccessChooser(const engine::PredicateTables& tables, const ObservedShares* observed = nullptr);

    // First count() every conjunction, then choose().
    void count(std::span<const std::uint32_t> codes);
    void end_count() { threes_ = choose_threes(); }
    Triples triples() const { return threes_; }
    AccessChoice choose(std::span<const std::uint32_t> codes) const;
    std::size_t counted() const { return counted_; }

private:
    struct Candidate {
        engine::LiteralCode code;
        double selectivity;  // expected share of events that have the token
    };
    using Best = std::array<std::optional<Candidate>, AccessChoice::tokens_max>;  // the best one first
    Best best(std::span<const std::uint32_t> codes) const;
    Best best_of_half(std::span<const std::uint32_t> codes, const Best& best) const;
    Best best_together(std::span<const std::uint32_t> codes, const Best& best) const;
    std::optional<Candidate> candidate(engine::LiteralCode code) const;
    Candidate bit_candidate(engine::LiteralCode code, double prior) const;
    void count_token(const Candidate& candidate);
    Triples choose_threes() const;
    double selectivity(const Candidate& candidate, std::uint32_t tokens) const;
    double range_selectivity(engine::LiteralCode code, std::uint32_t width) const;

    const engine::PredicateTables& tables_;
    const ObservedShares* observed_;
    std::vector<double> equality_selectivity_;  // by attribute
    std::vector<double> range_selectivity_;     // by range, as a token alone
    std::vector<std::uint32_t> led_;            // by bit: the number of conjunctions with this token as their best
    std::vector<double> tokens_;  // by attribute: the number of its tokens that an event is expected to have
    std::vector<std::uint8_t> token_counted_;  // by bit: is counted in tokens_
    std::vector<std::uint8_t> range_counted_;  // by attribute: its ranges are counted in tokens_
    // The number of rows that an event finds if each row is found by its best two tokens, by three, or by three of one
    // half.
    double found_by_two_ = 0, found_by_three_ = 0, found_by_half_ = 0;
    Triples threes_ = Triples::no;
    std::size_t counted_ = 0;
};

}  // namespace sluice::cpu
