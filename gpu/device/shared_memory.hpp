// Dynamic shared memory beyond the 48 KiB that every kernel may use. The limit belongs to the process, not to a launch.
// So it is always set to the same value: threads that each set the limit they need would lower it for each other. Any
// thread.
#pragma once

#include "gpu/device/device.hpp"

namespace sluice::cuda {

// Lets launches of the kernel use as much as the current device allows a block.
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
