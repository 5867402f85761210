// The kernel for units with an access literal, and for rows above 256 literals: each unit is read only if its access
// literal holds for some event.
#pragma once

#include <cstdint>

#include "gpu/cuda/clusters/cluster_plan.cuh"
#include "gpu/cuda/clusters/cluster_units.cuh"
#include "gpu/cuda/clusters/mask_view.hpp"

namespace sluice::cuda {

constexpr std::uint32_t guarded_threads = 512, guarded_warps = guarded_threads / 32;

// A row of several units: all lanes AND the masks they read, until nothing is left.
template <class Id>
__device__ std::uint32_t decide_units(const uint4* units, std::uint32_t count, const std::uint32_t* masks) {
    std::uint32_t all = ~0u;
    for (std::uint32_t u = 0; u < count && all != 0; ++u) {
        LaneIds<Id> ids;
        ids.load(units + u * LaneIds<Id>::unit_loads);
        all = __reduce_and_sync(whole_warp, all & ids.template all_of<0, 8>(masks));
    }
    return lane_id() == 0 ? all : 0;
}

// Decides the rows of one unit, or one row of several units.
template <class Id, class Report>
__device__ void decide_guarded(const uint4* units, std::uint32_t log_size, std::uint32_t first_row,
                               const std::uint32_t* masks, Report report) {
    if (log_size > ClusterView::log_unit) {
        report(first_row, decide_units<Id>(units, 1u << (log_size - ClusterView::log_unit), masks));
        return;
    }
    LaneIds<Id> ids;
    ids.load(units);
    std::uint32_t events[4] = {};
    if (log_size == 1) {
        decide_short<4>(ids, masks, events);
    } else if (log_size == 2) {
        decide_short<2>(ids, masks, events);
    } else {
        const std::uint32_t lanes = lanes_of_row(log_size);
        std::uint32_t all = ids.template all_of<0, 8>(masks);
        for (std::uint32_t step = 1; step < lanes; step *= 2) all &= __shfl_xor_sync(whole_warp, all, step);
        report(first_row + lane_id() / lanes, lane_id() % lanes == 0 ? all : 0);
        return;
    }
#pragma unroll
    for (std::uint32_t r = 0; r < 4; ++r) report(first_row + 32 * r + lane_id(), events[r]);
}

// Guarded units of one word: each warp of the block checks 32 access literals at a time, and reads the units of those
// that hold for some event.
template <class Id>
__device__ void run_guarded(const ClusterView& rows, Interval units, std::uint32_t word, const std::uint32_t* masks,
                            WarpHits& hits) {
    for (std::uint32_t first = units.begin + threadIdx.x / 32; first < units.end; first += guarded_threads) {
        const std::uint32_t mine = first + lane_id() * guarded_warps;
        uint4 head = make_uint4(0, 0, 0, literal_false);
        if (mine < units.end) head = __ldg(reinterpret_cast<const uint4*>(rows.guarded + mine));
        const std::uint32_t access = mine < units.end ? masks[head.w] : 0;
        std::uint32_t open = __ballot_sync(whole_warp, access != 0);
        for (; open != 0; open &= open - 1) {
            const int from = __ffs(open) - 1;
            const std::uint32_t first_row = __shfl_sync(whole_warp, head.x, from);
            const std::uint32_t log_size = __shfl_sync(whole_warp, head.y, from);
            const std::uint32_t unit = __shfl_sync(whole_warp, head.z, from);
            const std::uint32_t guard = __shfl_sync(whole_warp, access, from);
            const auto* ids = static_cast<const uint4*>(rows.ids) + std::size_t{unit} * LaneIds<Id>::unit_loads;
            hits.make_room(unit_rows_max, word);
            decide_guarded<Id>(ids, log_size, first_row, masks,
                               [&](std::uint32_t row, std::uint32_t events) { hits.append(row, events & guard); });
        }
    }
}

// Masks and numbers are read through the L1 cache, since only a few are needed.
template <class Id>
__global__ void __launch_bounds__(guarded_threads)
    match_guarded(const __grid_constant__ ClusterView rows, const MaskView masks, const __grid_constant__ Plan plan,
                  const __grid_constant__ HitList list) {
    __shared__ Found found[guarded_warps][unit_rows_max];
    WarpHits hits(found[threadIdx.x / 32], unit_rows_max, rows.targets, list);
    Interval line = interval_of(blockIdx.x, plan);
    for (std::uint32_t word = 0; line.end > 0; ++word) {
        const Interval units{line.begin, min(line.end, rows.guarded_count)};
        run_guarded<Id>(rows, units, word, masks.masks + mask_at(word, masks.stride, 0), hits);
        hits.flush(word);
        line.begin -= min(line.begin, rows.guarded_count);
        line.end -= units.end;
    }
}

}  // namespace sluice::cuda
