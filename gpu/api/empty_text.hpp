// What measured predicates make of an empty text, for those who compile filters. Pure; any thread.
#pragma once

#include "gpu/api/predicate.hpp"

namespace sluice::engine {

// The measure of an empty text; NaN if it has none. Requires that invalid_reason(measure) is empty.
double of_empty_text(const Measure& measure);

}  // namespace sluice::engine
