#include <algorithm>
#include <cuda_runtime.h>
#include <numeric>
#include <stdexcept>

#include "gpu/cuda/clusters/cluster_guarded.cuh"
#include "gpu/cuda/clusters/cluster_match.hpp"
#include "gpu/cuda/clusters/cluster_streamed.cuh"
#include "gpu/device/hopper.cuh"

namespace sluice::cuda {

namespace {

constexpr std::uint32_t threads_min = 128;
// Room for two tasks, one of them with short rows, which leaves room for the blocks of the masks' kernel.
constexpr std::uint32_t found_beside_masks = found_min + unit_rows_max;

struct DeviceLimits {
    int multiprocessors = 0, shared_bytes = 0;

    explicit DeviceLimits(int device) {
        check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "multiprocessors");
        check(cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "shared memory");
    }
    std::uint32_t blocks(const MatchTuning& tuning) const {
        return static_cast<std::uint32_t>(tuning.blocks > 0 ? tuning.blocks : multiprocessors);
    }
};

std::uint32_t blocks_for(std::uint32_t items, std::uint32_t words, std::uint32_t of_block, std::uint32_t blocks_max) {
    const std::uint64_t all = std::uint64_t{items} * words;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(blocks_max, (all + of_block - 1) / of_block));
}

void share_out(std::uint32_t items, std::uint32_t words, std::uint32_t blocks, Plan& plan) {
    plan.share = items * words / blocks;
    plan.rest = items * words % blocks;
}

// Gives neighbours in line different size classes: within a word, each block then has all classes, spread over its
// warps.
void mix_classes(std::uint32_t tasks, std::uint32_t spread, std::uint32_t warps, Plan& plan) {
    plan.stride = std::clamp(spread, 1u, tasks);
    while (std::gcd(plan.stride, tasks) != 1) --plan.stride;
    plan.step = static_cast<std::uint32_t>(std::uint64_t{warps} * plan.stride % tasks);
}

// The most threads whose results fit in shared memory beside the masks; 0 if none do.
std::uint32_t threads_beside(std::size_t masks_bytes, std::uint32_t threads_max, const DeviceLimits& device) {
    for (std::uint32_t threads = threads_max;; threads = std::max(threads / 2, threads_min)) {
        if (sizeof(StreamedShared) + masks_bytes + threads / 32 * found_min * sizeof(Found) <=
            static_cast<std::size_t>(device.shared_bytes))
            return threads;
        if (threads == threads_min) return 0;
    }
}

template <class Id, bool staged, class Shape>
void launch_streamed(const DeviceLimits& device, const ClusterView& rows, MaskView masks, std::uint32_t words,
                     HitList hits, cudaStream_t stream, const MatchTuning& tuning) {
    const auto kernel = match_streamed<Id, staged, Shape>;
    const std::size_t masks_bytes = staged ? std::size_t{masks.stride} * 4 : 0;
    const std::uint32_t threads = threads_beside(masks_bytes, Shape::threads, device);
    const std::uint32_t warps = threads / 32;
    const std::size_t shared_max = static_cast<std::size_t>(device.shared_bytes);
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, device.shared_bytes),
          "cudaFuncSetAttribute");
    const std::uint32_t tasks = rows.streamed_task[ClusterView::log_unit + 1];
    const std::uint32_t blocks = blocks_for(tasks, words, 4, device.blocks(tuning));
    Plan plan{};
    const std::size_t room = (shared_max - sizeof(StreamedShared) - masks_bytes) / warps / sizeof(Found);
    plan.found = std::min(static_cast<std::uint32_t>(room), found_beside_masks);
    share_out(tasks, words, blocks, plan);
    mix_classes(tasks, blocks / words, warps, plan);

    cudaLaunchAttribute attribute;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(threads);
    config.stream = stream;
    config.dynamicSmemBytes = sizeof(StreamedShared) + masks_bytes + std::size_t{plan.found} * warps * sizeof(Found);
    if (tuning.overlap_masks) launch_early(kernel, config, &attribute);
    check(cudaLaunchKernelEx(&config, kernel, rows, masks, plan, hits), "match_streamed");
}

template <class Id>
void launch_all(const DeviceLimits& device, const ClusterView& rows, MaskView masks, std::uint32_t words, HitList hits,
                cudaStream_t stream, const MatchTuning& tuning) {
    if (rows.streamed_count > 0) {
        auto run = launch_streamed<Id, false, WithoutStaging>;
        if constexpr (sizeof(Id) == 2) {
            if (threads_beside(std::size_t{masks.stride} * 4, threads_min, device) > 0) {
                run = words == 1 ? launch_streamed<Id, true, Small> : launch_streamed<Id, true, Wide>;
            }
        }
        run(device, rows, masks, words, hits, stream, tuning);
    }
    if (rows.guarded_count > 0) {
        const std::uint32_t blocks = blocks_for(rows.guarded_count, words, 32, 2 * device.blocks(tuning));
        Plan plan{};
        share_out(rows.guarded_count, words, blocks, plan);
        match_guarded<Id><<<blocks, guarded_threads, 0, stream>>>(rows, masks, plan, hits);
        check_launch("match_guarded");
    }
}

}  // namespace

void match_clusters(const ClusterView& rows, MaskView masks, std::uint32_t words, HitList hits, cudaStream_t stream,
                    const MatchTuning& tuning) {
    if (words > 32) throw std::length_error("a batch of more than 1024 events");
    if (words == 0 || (rows.streamed_count == 0 && rows.guarded_count == 0)) return;
    int current = 0;
    check(cudaGetDevice(&current), "cudaGetDevice");
    const DeviceLimits device(current);
    const auto run = rows.narrow ? launch_all<std::uint16_t> : launch_all<std::uint32_t>;
    run(device, rows, masks, words, hits, stream, tuning);
}

}  // namespace sluice::cuda
