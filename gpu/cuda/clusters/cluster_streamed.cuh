// The kernel for rows without an access literal: its blocks stream all of them, with the masks of one word in shared
// memory if they fit.
#pragma once

#include <cstdint>

#include "gpu/cuda/clusters/cluster_tasks.cuh"
#include "gpu/cuda/clusters/mask_view.hpp"
#include "gpu/device/hopper.cuh"

namespace sluice::cuda {

// The beginning of a block's shared memory. After it come the masks of a word, if they fit, and the warps' results.
struct alignas(16) StreamedShared {
    std::uint32_t begin;
    std::uint32_t found[32];  // by warp
};

// Moves the results of all warps of the block to the list in one piece. All warps share the work, 32 results of one
// warp at a time.
__device__ inline void flush_block(StreamedShared& shared, WarpHits& hits, const Found* found, std::uint32_t capacity,
                                   const std::uint32_t* targets, std::uint32_t word, const HitList& list) {
    constexpr std::uint32_t at_once = 4, nowhere = 0xffffffffu;
    const std::uint32_t warps = blockDim.x / 32, warp = threadIdx.x / 32;
    if (lane_id() == 0) shared.found[warp] = hits.size();
    hits.clear();
    __syncthreads();
    const std::uint32_t count = lane_id() < warps ? shared.found[lane_id()] : 0;
    std::uint32_t count_end = count, piece_end = (count + 31) / 32;
    const std::uint32_t pieces_here = piece_end;
#pragma unroll
    for (std::uint32_t step = 1; step < 32; step *= 2) {
        const std::uint32_t counts = __shfl_up_sync(whole_warp, count_end, step);
        const std::uint32_t pieces = __shfl_up_sync(whole_warp, piece_end, step);
        if (lane_id() >= step) {
            count_end += counts;
            piece_end += pieces;
        }
    }
    const std::uint32_t total = __shfl_sync(whole_warp, count_end, 31);
    const std::uint32_t pieces = __shfl_sync(whole_warp, piece_end, 31);
    std::uint32_t begin = 0;
    if (threadIdx.x == 0 && total != 0) begin = reserve(list, total);
    bool placed = false;
    for (std::uint32_t first = warp; !placed || first < pieces; first += at_once * warps) {
        Found some[at_once];
        std::uint32_t target[at_once], at[at_once];
#pragma unroll
        for (std::uint32_t i = 0; i < at_once; ++i) {
            const std::uint32_t piece = first + i * warps;
            at[i] = nowhere;
            if (piece >= pieces) continue;
            const int from = __popc(__ballot_sync(whole_warp, piece_end <= piece));
            const std::uint32_t piece_begin = __shfl_sync(whole_warp, piece_end - pieces_here, from);
            const std::uint32_t from_count = __shfl_sync(whole_warp, count, from);
            const std::uint32_t from_begin = __shfl_sync(whole_warp, count_end - count, from);
            const std::uint32_t index = (piece - piece_begin) * 32 + lane_id();
            if (index >= from_count) continue;
            some[i] = found[static_cast<std::uint32_t>(from) * capacity + index];
            target[i] = __ldg(targets + some[i].row);
            at[i] = from_begin + index;
        }
        if (!placed) {
            if (threadIdx.x == 0) shared.begin = begin;
            __syncthreads();
            begin = shared.begin;
            placed = true;
        }
#pragma unroll
        for (std::uint32_t i = 0; i < at_once; ++i) {
            if (at[i] != nowhere) put(list, begin + at[i], target[i] | word, some[i].events);
        }
    }
}

// Copies a word's masks into shared memory. The whole block calls it; a barrier must follow before they are read.
// `count` is a multiple of 32. Loads and stores by all threads take less time than asynchronous copies of 16 bytes, a
// bulk copy or a copy shared by two blocks (9.1 us per batch of 32 events instead of 12.4, 10.4 and 9.3).
template <std::uint32_t at_once>
__device__ void stage(std::uint32_t* to, const std::uint32_t* from, std::uint32_t count) {
    const auto* const quads = reinterpret_cast<const uint4*>(from);
    const std::uint32_t end = count / 4;
    for (std::uint32_t first = threadIdx.x; first < end; first += at_once * blockDim.x) {
        uint4 quad[at_once];
#pragma unroll
        for (std::uint32_t i = 0; i < at_once; ++i) {
            if (first + i * blockDim.x < end) quad[i] = quads[first + i * blockDim.x];
        }
#pragma unroll
        for (std::uint32_t i = 0; i < at_once; ++i) {
            if (first + i * blockDim.x < end) reinterpret_cast<uint4*>(to)[first + i * blockDim.x] = quad[i];
        }
    }
}

// The most threads per block and registers per thread, the number of tasks that a warp loads ahead of the one it
// decides, and whether there is only one word of events.
template <int max_threads, int max_registers, int tasks, bool single>
struct Shape {
    static constexpr int threads = max_threads, registers = max_registers, ahead = tasks;
    static constexpr bool one_word = single;
};
using Small = Shape<512, 96, 2, true>;  // leaves room for blocks of the masks' kernel
// For more words, a fourth more warps help more than a second task ahead (103 us for 1,024 events instead of 109), and
// more than 512 threads of 128 registers (116) or 768 of 80 (105).
using Wide = Shape<640, 96, 1, false>;
using WithoutStaging = Shape<512, 128, 2, false>;

// One block per multiprocessor, with one word's masks in its shared memory at a time.
template <class Id, bool staged, class Shape>
__global__ void __maxnreg__(Shape::registers)
    match_streamed(const __grid_constant__ ClusterView rows, const MaskView masks, const __grid_constant__ Plan plan,
                   const __grid_constant__ HitList list) {
    extern __shared__ uint4 dynamic_shared[];
    const std::uint32_t warps = blockDim.x / 32;
    StreamedShared& shared = *reinterpret_cast<StreamedShared*>(dynamic_shared);
    auto* const room = reinterpret_cast<std::uint32_t*>(&shared + 1);
    auto* const found = reinterpret_cast<Found*>(room + (staged ? masks.stride : 0));

    const std::uint32_t tasks = rows.streamed_task[ClusterView::log_unit + 1], warp = threadIdx.x / 32;
    Interval line = interval_of(blockIdx.x, plan);
    std::uint32_t word = line.begin / tasks;
    line.begin -= word * tasks;
    line.end -= word * tasks;
    std::uint32_t position = line.begin + warp;
    auto number = static_cast<std::uint32_t>(std::uint64_t{position} * plan.stride % tasks);
    Task<Id> task, next;
    const auto load = [&](Task<Id>& t, std::uint32_t at) {
        if (at < line.end) t.load(rows, number);
        number += plan.step;
        if (number >= tasks) number -= tasks;
    };
    load(task, position);
    if constexpr (Shape::ahead == 2) load(next, position + warps);
    SizeClass size_class;

    wait_for_previous();
    allow_dependents();  // only now: the previous batch has been matched, so its masks may be overwritten
    WarpHits hits(found + warp * plan.found, plan.found, rows.targets, list);
    for (;; ++word) {
        const std::uint32_t* word_masks = masks.masks + mask_at(word, masks.stride, 0);
        if constexpr (staged) {
            stage<Shape::one_word ? 8 : 4>(room, word_masks, masks.stride);
            __syncthreads();
            word_masks = room;
        }
        const std::uint32_t end = min(line.end, tasks);
        for (; position < end; position += warps) {
            size_class.go_to(rows, task.number);
            hits.make_room(size_class.rows_of_task(), word);
            const auto reload = [&] {
                if constexpr (Shape::ahead == 2) task = next;
                load(Shape::ahead == 2 ? next : task, position + Shape::ahead * warps);
            };
            const auto report = [&](std::uint32_t row, std::uint32_t events) { hits.append(row, events); };
            decide(task, size_class.log_size, size_class.row_of(task.number), word_masks, reload, report);
        }
        if constexpr (Shape::one_word) {
            flush_block(shared, hits, found, plan.found, rows.targets, word, list);
            return;
        }
        hits.flush(word);
        if (line.end <= tasks) return;
        line.end -= tasks;
        position -= tasks;
        if constexpr (staged) __syncthreads();  // wait until all have read the masks
    }
}

}  // namespace sluice::cuda
