// A cell of the grid over an attribute's bounds, to which ranges are assigned (access.hpp). Plain values.
#pragma once

#include <cstdint>

namespace sluice::cpu {

// Level l of a grid has cells of width << l neighbouring bounds.
struct RangeCell {
    std::uint32_t attribute, level, cell;
};

}  // namespace sluice::cpu
