// Defines the results of align() and align-global(): Gotoh's algorithm (J. Mol. Biol. 162, 1982), one cell after the
// other. Every faster kernel gives the same scores. Pure functions, callable from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "gpu/operators/alignment/scheme/scheme.hpp"

namespace sluice::alignment {

// Where an alignment ends, in letters of the query and of the text before that point. Several cells may have the best
// score; any of them is correct.
struct EndPoint {
    std::int32_t score = 0;
    std::uint32_t query_end = 0, text_end = 0;

    bool operator==(const EndPoint&) const = default;
};

// With H[0][j] = H[i][0] = 0 (local) or minus the cost of a gap of that length (global),
//   E[i][j] = max(E[i][j-1] - further, H[i][j-1] - first)
//   F[i][j] = max(F[i-1][j] - further, H[i-1][j] - first)
//   H[i][j] = max(H[i-1][j-1] + scores[query[i]][text[j]], E[i][j], F[i][j]), and at least 0 if local.
// Local: the largest H, or 0 at (0, 0) if nothing scores; among equals, the first by rows. Global: H[m][n]. O(m n)
// time, O(n) memory. The pair must not be too_long().
EndPoint reference_align(const Scheme& scheme, Mode mode, Codes query, Codes text);

// Returns nothing if all cells of two sequences of these lengths fit 32 bits, else the error to show.
std::optional<std::string> too_long(const Scheme& scheme, std::size_t m, std::size_t n);

}  // namespace sluice::alignment
