// The plain definition of every measure, one text at a time: what the naive backend computes, and what the families
// must agree with. Any thread.
#pragma once

#include <functional>
#include <string_view>

#include "gpu/predicate.hpp"

namespace sluice {

// The measure as a function of a text; NaN for a text that has none. fault_of(measure) finds no fault.
using MeasureFunction = std::function<double(std::string_view text)>;
MeasureFunction reference_of(const Measure& measure);

}  // namespace sluice
