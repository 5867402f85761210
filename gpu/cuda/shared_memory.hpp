// Dynamic shared memory beyond the 48 KiB that every kernel may have. What a kernel is allowed is the process's, not
// the launch's: so it is always the same, since threads that each allow it what they need would take it from each
// other. Any thread.
#pragma once

#include "gpu/cuda/device.hpp"

namespace sluice::cuda {

// Lets a launch of the kernel have as much as the current device gives a block.
inline void allow_all_shared_memory(const void* kernel) {
    int device = 0, bytes = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "shared memory");
    cudaFuncAttributes attributes{};
    check(cudaFuncGetAttributes(&attributes, kernel), "cudaFuncGetAttributes");
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               bytes - static_cast<int>(attributes.sharedSizeBytes)),
          "cudaFuncSetAttribute");
}

}  // namespace sluice::cuda
