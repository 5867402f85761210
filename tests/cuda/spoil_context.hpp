// For tests of lost devices: a kernel that makes an illegal access.
#pragma once

#include <cuda_runtime_api.h>

namespace sluice::testing {

// Writes to an invalid address; returns the error that every later call returns.
cudaError_t spoil_context();

}  // namespace sluice::testing
