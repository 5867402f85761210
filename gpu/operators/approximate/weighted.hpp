// Distances with any cost table on the CPU: the dynamic program, a column at a time. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "gpu/operators/approximate/costs.hpp"
#include "gpu/operators/approximate/myers_kernel.hpp"

namespace sluice::approximate {

// The distance of `pattern` from `text`, or, if that is greater than `bound`, anything greater. `column` is to work in.
std::uint32_t weighted_distance(std::u32string_view text, std::u32string_view pattern, const Costs& costs,
                                Extent extent, std::uint32_t bound, std::vector<std::uint32_t>& column);

}  // namespace sluice::approximate
