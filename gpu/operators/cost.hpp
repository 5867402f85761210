// What deciding a measured predicate for one text may take, told beforehand from the sizes of both, so that what would
// take too long is not begun. An estimate for one core of a processor without wide vectors: within a few times of what
// it takes there, too high for better ones. Pure functions; any thread.
#pragma once

#include <cstddef>

#include "gpu/predicate.hpp"

namespace sluice {

struct OperatorCost {
    double ns_per_byte = 0;  // of the text

    double ns(std::size_t text_bytes) const { return ns_per_byte * static_cast<double>(text_bytes); }
};

// fault_of() finds nothing in the measure.
OperatorCost cost_of(const Measure& measure);

}  // namespace sluice
