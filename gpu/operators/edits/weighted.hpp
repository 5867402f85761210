// Distances with any cost table on the CPU: the dynamic program, column by column. Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "gpu/operators/edits/costs.hpp"
#include "gpu/operators/edits/myers_kernel.hpp"

namespace sluice::edits {

// The distance of `pattern` from `text` or, if it exceeds `bound`, any greater value. `column` is scratch space.
std::uint32_t weighted_distance(std::u32string_view text, std::u32string_view pattern, const Costs& costs,
                                Extent extent, std::uint32_t bound, std::vector<std::uint32_t>& column);

}  // namespace sluice::edits
