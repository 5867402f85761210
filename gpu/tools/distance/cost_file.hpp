// Reads a table of costs from a text file. Pure functions; any thread. The folder's README describes the format.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "gpu/operators/edits/costs.hpp"

namespace sluice::edits {

struct CostFile {
    CostMatrix matrix;
    std::string error;       // if empty, the matrix is valid
    std::size_t line = 0;    // of the error, from 1 on
    std::size_t column = 0;  // likewise, in bytes; 0: the whole line
};

CostFile parse_costs(std::string_view text);

}  // namespace sluice::edits
