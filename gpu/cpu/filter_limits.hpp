// Refuses filters that a set can't hold, before anything of them is stored. Pure functions; any thread.
#pragma once

#include <vector>

#include "gpu/cpu/part.hpp"
#include "gpu/tables/limits.hpp"

namespace sluice::cpu {

// Throws engine::LimitError if one segment can't hold the filter, or the set can't hold its names. `bound` is the
// filter's load_bound().
void check_limits(const engine::NormalForm& filter, const engine::SegmentLoad& bound, const engine::SetLimits& limits,
                  const Names& names);

}  // namespace sluice::cpu
