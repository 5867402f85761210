// Tables of text: each column as wide as its widest cell, counted in characters. Pure function; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::cli {

enum class Side : std::uint8_t { left, right };

// A line for each row, its columns two spaces apart, no white space at the ends of lines. Column c is aligned as
// sides[c], or to the left if there is none. Rows may differ in length.
std::vector<std::string> in_columns(const std::vector<std::vector<std::string>>& rows, const std::vector<Side>& sides);

}  // namespace sluice::cli
