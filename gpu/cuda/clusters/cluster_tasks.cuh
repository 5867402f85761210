// Tasks of the cluster kernels. Device functions that the whole warp calls together.
#pragma once

#include <cstdint>

#include "gpu/cuda/clusters/cluster_plan.cuh"
#include "gpu/cuda/clusters/cluster_units.cuh"

namespace sluice::cuda {

// Four neighbouring units of one size class, which a warp decides together. Its literal numbers are loaded long before
// they are needed.
template <class Id>
struct Task {
    LaneIds<Id> ids[task_units];
    std::uint32_t number;

    __device__ void load(const ClusterView& rows, std::uint32_t task) {
        number = task;
        const auto* const from =
            static_cast<const uint4*>(rows.ids) + std::size_t{task} * (task_units * LaneIds<Id>::unit_loads);
#pragma unroll
        for (std::uint32_t u = 0; u < task_units; ++u) ids[u].load(from + u * LaneIds<Id>::unit_loads);
    }
};

// The warp's current size class; its next task is mostly of the same one.
struct SizeClass {
    std::uint32_t log_size = 1, first_task = 0, tasks = 0, first_row = 0;

    __device__ void go_to(const ClusterView& rows, std::uint32_t task) {
        if (task - first_task < tasks) return;
        log_size = 1;
#pragma unroll
        for (std::uint32_t k = 2; k <= ClusterView::log_unit; ++k) log_size += task >= rows.streamed_task[k] ? 1 : 0;
        first_task = rows.streamed_task[log_size];
        tasks = rows.streamed_task[log_size + 1] - first_task;
        first_row = rows.streamed_row[log_size];
    }
    __device__ std::uint32_t rows_of_task() const { return task_units * ClusterView::unit_ids >> log_size; }
    __device__ std::uint32_t row_of(std::uint32_t task) const {
        return first_row + (task - first_task) * rows_of_task();
    }
};

// Rows of two or four literals: four or two rows per lane and unit. Here and below, reload() is called when the task's
// numbers are no longer needed; all lanes call report(row, events) together.
template <int rows_of_lane, class Id, class Reload, class Report>
__device__ void decide_short(const Task<Id>& task, std::uint32_t row, const std::uint32_t* masks, Reload reload,
                             Report report) {
    constexpr std::uint32_t units = 2;  // at a time: more would take too many registers
#pragma unroll
    for (std::uint32_t first = 0; first < task_units; first += units) {
        std::uint32_t events[units][rows_of_lane];
#pragma unroll
        for (std::uint32_t u = 0; u < units; ++u) decide_short<rows_of_lane>(task.ids[first + u], masks, events[u]);
        if (first + units == task_units) reload();
#pragma unroll
        for (std::uint32_t u = 0; u < units; ++u) {
#pragma unroll
            for (std::uint32_t r = 0; r < rows_of_lane; ++r)
                report(row + ((first + u) * rows_of_lane + r) * 32 + lane_id(), events[u][r]);
        }
    }
}

// ANDs the results of the lanes of a row, for all four units at once: the lanes of a pair take two units each, then one
// each. Afterwards events[j] is the result for a row of unit join_unit(j); the row's number follows from the lane by
// lanes_of_row.
__device__ inline void join_lanes(std::uint32_t log_size, std::uint32_t (&events)[task_units]) {
    const bool odd = (lane_id() & 1) != 0, second = (lane_id() & 2) != 0;
#pragma unroll
    for (int j = 0; j < 2; ++j) {
        const std::uint32_t theirs = __shfl_xor_sync(whole_warp, odd ? events[j] : events[j + 2], 1);
        events[j] = (odd ? events[j + 2] : events[j]) & theirs;
        events[j + 2] = 0;
    }
    if (log_size == 4) return;
    const std::uint32_t theirs = __shfl_xor_sync(whole_warp, second ? events[0] : events[1], 2);
    events[0] = (second ? events[1] : events[0]) & theirs;
    events[1] = 0;
    const std::uint32_t lanes = lanes_of_row(log_size);
    for (std::uint32_t step = 4; step < lanes; step *= 2) events[0] &= __shfl_xor_sync(whole_warp, events[0], step);
    if ((lane_id() & (lanes - 1)) >= 4) events[0] = 0;
}
__device__ inline std::uint32_t join_unit(std::uint32_t log_size, std::uint32_t j) {
    if (log_size == 3) return j;
    const std::uint32_t odd = lane_id() & 1, second = lane_id() >> 1 & 1;
    return 2 * odd + (log_size == 4 ? j : second);
}

// Rows of 8 or more literals: eight per lane. The second four are looked up only if some lane still has events left.
template <class Id, class Reload, class Report>
__device__ void decide_long(const Task<Id>& task, std::uint32_t log_size, std::uint32_t row, const std::uint32_t* masks,
                            Reload reload, Report report) {
    std::uint32_t events[task_units], any = 0;
#pragma unroll
    for (std::uint32_t u = 0; u < task_units; ++u) {
        events[u] = task.ids[u].template all_of<0, 4>(masks);
        any |= events[u];
    }
    const bool go_on = __any_sync(whole_warp, any != 0);
    if (go_on) {
#pragma unroll
        for (std::uint32_t u = 0; u < task_units; ++u) events[u] &= task.ids[u].template all_of<4, 8>(masks);
    }
    reload();
    if (!go_on) return;
    if (log_size > 3) join_lanes(log_size, events);
    row += lane_id() >> (log_size - 3);
#pragma unroll
    for (std::uint32_t j = 0; j < task_units; ++j)
        report(row + (join_unit(log_size, j) << (ClusterView::log_unit - log_size)), events[j]);
}

template <class Id, class Reload, class Report>
__device__ void decide(const Task<Id>& task, std::uint32_t log_size, std::uint32_t row, const std::uint32_t* masks,
                       Reload reload, Report report) {
    if (log_size == 1) {
        decide_short<4>(task, row, masks, reload, report);
    } else if (log_size == 2) {
        decide_short<2>(task, row, masks, reload, report);
    } else {
        decide_long(task, log_size, row, masks, reload, report);
    }
}

}  // namespace sluice::cuda
