// The Hopper instructions that kernels use, by name, and their substitutes on older chips. They let a kernel start
// before the previous one has ended.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/device/device.hpp"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define SLUICE_HOPPER 1
#else
#define SLUICE_HOPPER 0
#endif

namespace sluice::cuda {

// The next kernel in the stream may start now if it was launched to overlap.
__device__ inline void allow_dependents() {
#if SLUICE_HOPPER
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
// Waits until the previous kernel has ended and its writes are visible. Returns at once if this kernel was not launched
// to overlap.
__device__ inline void wait_for_previous() {
#if SLUICE_HOPPER
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Host: whether the kernel's code on the current device has these instructions. A device later than Hopper may have
// compiled it from the code for Ampere.
template <class Kernel>
bool has_hopper_code(Kernel kernel) {
    cudaFuncAttributes attributes{};
    check(cudaFuncGetAttributes(&attributes, kernel), "cudaFuncGetAttributes");
    return attributes.ptxVersion >= 90;
}

// Host: adds the launch attribute for an early start, if the kernel knows how to wait for the previous one.
template <class Kernel>
void launch_early(Kernel kernel, cudaLaunchConfig_t& config, cudaLaunchAttribute* attributes) {
    if (!has_hopper_code(kernel)) return;
    attributes[config.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[config.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
    config.attrs = attributes;
}

}  // namespace sluice::cuda
