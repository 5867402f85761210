// The measure of one text as a number, for those who show it; matching asks families only whether predicates accept it.
// Computed by the families' kernels on this thread. Any thread.
#pragma once

#include <string_view>

#include "gpu/api/predicate.hpp"

namespace sluice::operators {

// NaN if the text has none. Takes about cost_of(measure). Requires that invalid_reason(measure) is empty.
double measured(const engine::Measure& measure, std::string_view text);

}  // namespace sluice::operators
