// How the work of the cluster kernels is divided, and how many results their warps have room for. Plain values.
#pragma once

#include <cstdint>

#include "gpu/cuda/clusters/cluster_rows.hpp"

namespace sluice::cuda {

constexpr std::uint32_t task_units = ClusterView::task_units;
constexpr std::uint32_t unit_rows_max = ClusterView::unit_ids / 2;
constexpr std::uint32_t found_min = task_units * unit_rows_max;  // results that every warp has room for

// How the work is divided; the same for all blocks.
struct Plan {
    // The tasks (or guarded units) of all words form a line; each block has `share` of them, the first `rest` blocks
    // one more.
    std::uint32_t share, rest;
    // The i-th task in line is number i * stride % tasks of its word; `step` is that number's advance for all warps of
    // a block.
    std::uint32_t stride, step;
    std::uint32_t found;  // results that a warp has room for
};

struct Interval {
    std::uint32_t begin, end;
};
__device__ inline Interval interval_of(std::uint32_t block, const Plan& plan) {
    const std::uint32_t begin = block * plan.share + min(block, plan.rest);
    return {begin, begin + plan.share + (block < plan.rest ? 1 : 0)};
}

}  // namespace sluice::cuda
