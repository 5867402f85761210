// Estimates how long deciding a measured predicate for one text may take, from the sizes of both, so that work that
// would take too long is never started. For one core without wide vectors: within a small factor of the real time
// there, too high for better processors. Pure functions; any thread.
#pragma once

#include <cstddef>

#include "gpu/api/predicate.hpp"

namespace sluice::operators {

struct OperatorCost {
    double ns_per_byte = 0;  // of the text

    double ns(std::size_t text_bytes) const { return ns_per_byte * static_cast<double>(text_bytes); }
};

// Requires that invalid_reason(measure) is empty.
OperatorCost cost_of(const engine::Measure& measure);

}  // namespace sluice::operators
