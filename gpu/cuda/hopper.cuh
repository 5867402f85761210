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

// Host: adds what a kernel is launched with to start early, where the current device can do that.
inline void launch_early(cudaLaunchConfig_t& config, cudaLaunchAttribute* attributes) {
    int device = 0, major = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "compute capability");
    if (major < 9) return;
    attributes[config.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[config.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
    config.attrs = attributes;
}

__device__ inline std::uint32_t shared_address(const void* p) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

#if SLUICE_HOPPER

// A barrier in shared memory that bulk copies arrive at by their bytes.
__device__ inline void init_barrier(std::uint64_t* barrier) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ inline void expect_bytes(std::uint64_t* barrier, std::uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
}
__device__ inline void wait_barrier(std::uint64_t* barrier, std::uint32_t parity) {
    asm volatile(
        "{\n"
        ".reg .pred done;\n"
        "again:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra again;\n"
        "}\n" ::"r"(shared_address(barrier)),
        "r"(parity)
        : "memory");
    __syncwarp();  // the lanes may have left the loop one after the other
}

// bytes: a multiple of 16, as are both addresses.
__device__ inline void copy_bulk(void* to, const void* from, std::uint32_t bytes, std::uint64_t* barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(to)),
                 "l"(from), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
}
// To the same place in each block of the cluster whose bit is set, arriving at the same barrier of each.
__device__ inline void copy_bulk(void* to, const void* from, std::uint32_t bytes, std::uint64_t* barrier,
                                 std::uint16_t blocks) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], "
        "%4;" ::"r"(shared_address(to)),
        "l"(from), "r"(bytes), "r"(shared_address(barrier)), "h"(blocks)
        : "memory");
}
// What ordinary accesses did to shared memory comes before what bulk copies do to it.
__device__ inline void fence_bulk() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// For blocks to see each other's barriers: orders nothing else.
__device__ inline void sync_cluster() {
    asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
__device__ inline std::uint32_t cluster_rank() {
    std::uint32_t rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
__device__ inline std::uint32_t cluster_blocks() {
    std::uint32_t blocks;
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
    return blocks;
}
#endif

}  // namespace sluice::cuda
