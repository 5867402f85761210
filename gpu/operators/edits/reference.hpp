// The plain dynamic programs that define approx-distance (and thus approx-contains) and edit-distance. All faster code
// is tested against them. Texts and patterns are UTF-8 (characters.hpp covers invalid bytes). Pure functions, callable
// from any thread.
//
// With x the pattern of m characters and y the text of n (Nunes 2018, section 3.2; Man and Song 2016, section 4):
//   c[i][j] = min(c[i-1][j] + deletion, c[i][j-1] + insertion, c[i-1][j-1] + substitution(x_i, y_j))
//   c[i][0] = i * deletion;   c[0][j] = 0 for substrings, j * insertion for whole texts
// The distance of substrings (ASM) is the minimum of the last row, that of whole texts (ED) its last element. So an
// empty pattern is at distance 0 from a substring of any text, and an empty text at m * deletion from the pattern.
#pragma once

#include <cstdint>
#include <string_view>

#include "gpu/operators/edits/costs.hpp"

namespace sluice::edits {

// ASM: the minimum cost of turning `pattern` into a substring of `text`.
std::uint32_t approx_distance(std::string_view text, std::string_view pattern, const Costs& costs = CostTable::unit);

// ED: the minimum cost of turning `pattern` into `text`.
std::uint32_t edit_distance(std::string_view text, std::string_view pattern, const Costs& costs = CostTable::unit);

}  // namespace sluice::edits
