// The plain definition of every measure, one text at a time. The naive backend computes it; the families must agree
// with it. Any thread.
#pragma once

#include <functional>
#include <string_view>

#include "gpu/api/predicate.hpp"

namespace sluice::operators {

// The measure as a function of a text; NaN if the text has none. Requires that invalid_reason(measure) is empty.
using MeasureFunction = std::function<double(std::string_view text)>;
MeasureFunction reference_of(const engine::Measure& measure);

}  // namespace sluice::operators
