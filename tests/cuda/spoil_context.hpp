// For tests of what happens when a device is lost: a kernel that does what no program may.
#pragma once

#include <cuda_runtime_api.h>

namespace sluice::testing {

// Writes to an address that is nobody's; returns the error that every call gives from then on.
cudaError_t spoil_context();

}  // namespace sluice::testing
