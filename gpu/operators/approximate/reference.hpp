// The plain dynamic programs that define approx-distance, approx-contains and edit-distance; every faster code is
// tested against them. Texts and patterns are UTF-8 (characters.hpp says what is not). Pure functions; any thread.
//
// With x the pattern of m characters and y the text of n (Nunes 2018, section 3.2; Man and Song 2016, section 4):
//   c[i][j] = min(c[i-1][j] + deletion, c[i][j-1] + insertion, c[i-1][j-1] + substitution(x_i, y_j))
//   c[i][0] = i * deletion;   c[0][j] = 0 for substrings, j * insertion for whole texts
// The distance of substrings (ASM) is the least of the last row, that of whole texts (ED) its last element. So an
// empty pattern is at distance 0 from a substring of any text, and an empty text at m * deletion from the pattern.
#pragma once

#include <cstdint>
#include <string_view>

#include "gpu/operators/approximate/costs.hpp"

namespace sluice::approximate {

// ASM: the least cost of turning `pattern` into a substring of `text`.
std::uint32_t approx_distance(std::string_view text, std::string_view pattern, CostTable table = CostTable::unit);

// approx_distance(text, pattern) <= k.
bool approx_contains(std::string_view text, std::string_view pattern, std::uint32_t k);

// ED: the least cost of turning `pattern` into `text`.
std::uint32_t edit_distance(std::string_view text, std::string_view pattern, CostTable table = CostTable::unit);

}  // namespace sluice::approximate
