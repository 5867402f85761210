// The instructions of Hopper that kernels use, by name, and what does instead of them on older chips: kernels that
// start before the one before them has ended.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/cuda/device.hpp"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define SLUICE_HOPPER 1
#else
#define SLUICE_HOPPER 0
#endif

namespace sluice::cuda {

// The next kernel in the stream, if it was launched to overlap, may start now.
__device__ inline void allow_dependents() {
#if SLUICE_HOPPER
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
// Until the kernel before this one has ended and what it wrote can be read. Nothing to wait for if this one was not
// launched to overlap.
__device__ inline void wait_for_previous() {
#if SLUICE_HOPPER
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Host: whether the kernel, as it is on the current device, has the instructions above. A device of a later kind than
// Hopper may have compiled it from what was made for Ampere.
template <class Kernel>
bool has_hopper_code(Kernel kernel) {
    cudaFuncAttributes attributes{};
    check(cudaFuncGetAttributes(&attributes, kernel), "cudaFuncGetAttributes");
    return attributes.ptxVersion >= 90;
}

// Host: adds what the kernel is launched with to start early, where it knows how to wait for the one before it.
template <class Kernel>
void launch_early(Kernel kernel, cudaLaunchConfig_t& config, cudaLaunchAttribute* attributes) {
    if (!has_hopper_code(kernel)) return;
    attributes[config.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[config.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
    config.attrs = attributes;
}

}  // namespace sluice::cuda
