#include <algorithm>
#include <cuda_runtime.h>
#include <numeric>
#include <stdexcept>

#include "gpu/cuda/cluster_match.hpp"
#include "gpu/cuda/cluster_units.cuh"
#include "gpu/cuda/hopper.cuh"

namespace sluice::cuda {

namespace {

constexpr std::uint32_t task_units = ClusterView::task_units;
constexpr std::uint32_t unit_rows_max = ClusterView::unit_ids / 2;
constexpr std::uint32_t threads_min = 128;
constexpr std::uint32_t found_min = task_units * unit_rows_max;  // that a warp has room for
// Room for two tasks, of which one has short rows, and beside it for the blocks of the masks' kernel.
constexpr std::uint32_t found_beside_masks = found_min + unit_rows_max;
constexpr std::uint32_t guarded_threads = 512, guarded_warps = guarded_threads / 32;

// How the work is cut up; the same for all blocks.
struct Plan {
    // The tasks (or guarded units) of all words are a line; each block has `share` of them, the first `rest` blocks one
    // more.
    std::uint32_t share, rest;
    // The i-th task in line is number i * stride % tasks of its word; `step` is that of a block's warps together.
    std::uint32_t stride, step;
    std::uint32_t found;  // that a warp has room for
};

// The begin of a block's shared memory. Behind it stand the masks of a word, if they fit, and what the warps found.
struct alignas(16) Shared {
    std::uint32_t begin;
    std::uint32_t found[32];  // by warp
};

struct Interval {
    std::uint32_t begin, end;
};
__device__ Interval interval_of(std::uint32_t block, const Plan& plan) {
    const std::uint32_t begin = block * plan.share + min(block, plan.rest);
    return {begin, begin + plan.share + (block < plan.rest ? 1 : 0)};
}

// Four neighbouring units of one size class: what a warp decides at a time. Its literal numbers are asked for long
// before they are needed.
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

// The size class that a warp is at: its next task is mostly of the same.
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

// Rows of two or four literals: four or two a lane and unit. Here and below, reload() is called when the task's numbers
// are not needed any more, report(row, events) by all lanes together.
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

// ANDs what the lanes of a row say, for all four units at once: each of two lanes leaves two units to the other, then
// one. Afterwards events[j] is what holds for a row of unit join_unit(j), whose number is the lane's by lanes_of_row.
__device__ void join_lanes(std::uint32_t log_size, std::uint32_t (&events)[task_units]) {
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
__device__ std::uint32_t join_unit(std::uint32_t log_size, std::uint32_t j) {
    if (log_size == 3) return j;
    const std::uint32_t odd = lane_id() & 1, second = lane_id() >> 1 & 1;
    return 2 * odd + (log_size == 4 ? j : second);
}

// Rows of 8 and more literals: eight a lane. The second four are looked up only if some lane has anything left.
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

// What all warps of the block have found goes to the list, in one piece and by all warps alike: 32 of one warp at a
// time.
__device__ void flush_block(Shared& shared, WarpHits& hits, const Found* found, std::uint32_t capacity,
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

// Brings a word's masks into shared memory. The whole block calls it; all can read them after a barrier. `count` is a
// multiple of 32. Loads and stores by all threads take less time than asynchronous copies of 16 bytes, a bulk copy or
// one that two blocks share (9.1 us a batch of 32 events instead of 12.4, 10.4 and 9.3).
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

// How many threads a block has at most, and registers a thread; how many tasks a warp has asked for when it decides
// one; whether there is but one word of events.
template <int max_threads, int max_registers, int tasks, bool single>
struct Shape {
    static constexpr int threads = max_threads, registers = max_registers, ahead = tasks;
    static constexpr bool one_word = single;
};
using Small = Shape<512, 96, 2, true>;  // beside it there is room for blocks of the masks' kernel
// More words: a fourth more warps do more good than a task more beforehand (103 us for 1,024 events instead of 109),
// and than 512 threads of 128 registers (116) or 768 of 80 (105).
using Wide = Shape<640, 96, 1, false>;
using WithoutStaging = Shape<512, 128, 2, false>;

// One block a multiprocessor, one word's masks in its shared memory at a time.
template <class Id, bool staged, bool disjunctions, class Shape>
__global__ void __maxnreg__(Shape::registers)
    match_streamed(const __grid_constant__ ClusterView rows, const MaskView masks, const __grid_constant__ Plan plan,
                   const __grid_constant__ HitList list) {
    extern __shared__ uint4 dynamic_shared[];
    const std::uint32_t warps = blockDim.x / 32;
    Shared& shared = *reinterpret_cast<Shared*>(dynamic_shared);
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
    allow_dependents();  // not before: then the batch before has been matched, and the next one's masks may go there
    WarpHits hits(found + warp * plan.found, plan.found, rows.targets, list);
    for (;; ++word) {
        const std::uint32_t* word_masks = masks.masks + std::size_t{word} * masks.stride;
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
            const auto report = [&](std::uint32_t row, std::uint32_t events) {
                if constexpr (disjunctions) events = merged(rows, row, word, events);
                hits.append(row, events);
            };
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
        if constexpr (staged) __syncthreads();  // all have read the masks
    }
}

// A row of several units: all lanes AND what they read, until nothing is left.
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

// The rows of one unit, or the one row of several.
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

// Guarded units of one word: the block's warps look at 32 access literals each, and read the units of those that hold
// for some event.
template <class Id, bool disjunctions>
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
            decide_guarded<Id>(ids, log_size, first_row, masks, [&](std::uint32_t row, std::uint32_t events) {
                events &= guard;
                if constexpr (disjunctions) events = merged(rows, row, word, events);
                hits.append(row, events);
            });
        }
    }
}

// Masks and numbers are read through the first-level cache: few of them are needed.
template <class Id, bool disjunctions>
__global__ void __launch_bounds__(guarded_threads)
    match_guarded(const __grid_constant__ ClusterView rows, const MaskView masks, const __grid_constant__ Plan plan,
                  const __grid_constant__ HitList list) {
    __shared__ Found found[guarded_warps][unit_rows_max];
    WarpHits hits(found[threadIdx.x / 32], unit_rows_max, rows.targets, list);
    Interval line = interval_of(blockIdx.x, plan);
    for (std::uint32_t word = 0; line.end > 0; ++word) {
        const Interval units{line.begin, min(line.end, rows.guarded_count)};
        run_guarded<Id, disjunctions>(rows, units, word, masks.masks + std::size_t{word} * masks.stride, hits);
        hits.flush(word);
        line.begin -= min(line.begin, rows.guarded_count);
        line.end -= units.end;
    }
}

// Gives the hits of disjunctions their target and all their events, and leaves the disjunctions' words 0. A thread a
// hit, one hit a disjunction and word.
__global__ void resolve_disjunctions(const __grid_constant__ ClusterView rows, std::uint32_t words, HitList list) {
    const std::uint32_t count = *list.count, step = gridDim.x * blockDim.x,
                        begin = blockIdx.x * blockDim.x + threadIdx.x;
    if (count > list.capacity) {  // hits are missing: the batch will be matched again
        for (std::size_t i = begin; i < std::size_t{words} * rows.disjunction_count; i += step)
            rows.disjunctions[i] = 0;
        return;
    }
    for (std::uint32_t i = begin; i < count; i += step) {
        Hit& hit = list.hits[i];
        if ((hit.target_word & unresolved_flag) == 0) continue;
        const std::uint32_t d = hit.target_word >> 5 & (Hit::targets_max - 1), word = hit.target_word & 31;
        std::uint32_t& events = rows.disjunctions[std::size_t{word} * rows.disjunction_count + d];
        hit.target_word = rows.disjunction_targets[d] << 5 | word;
        hit.events = events;
        events = 0;
    }
}

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

// Neighbours in line shall be of different size classes: in a word, each block has all classes, spread over its warps.
void mix_classes(std::uint32_t tasks, std::uint32_t spread, std::uint32_t warps, Plan& plan) {
    plan.stride = std::clamp(spread, 1u, tasks);
    while (std::gcd(plan.stride, tasks) != 1) --plan.stride;
    plan.step = static_cast<std::uint32_t>(std::uint64_t{warps} * plan.stride % tasks);
}

// The most threads whose finds have room beside the masks; 0 if none have.
std::uint32_t threads_beside(std::size_t masks_bytes, std::uint32_t threads_max, const DeviceLimits& device) {
    for (std::uint32_t threads = threads_max;; threads = std::max(threads / 2, threads_min)) {
        if (sizeof(Shared) + masks_bytes + threads / 32 * found_min * sizeof(Found) <=
            static_cast<std::size_t>(device.shared_bytes))
            return threads;
        if (threads == threads_min) return 0;
    }
}

template <class Id, bool staged, bool disjunctions, class Shape>
void launch_streamed(const DeviceLimits& device, const ClusterView& rows, MaskView masks, std::uint32_t words,
                     HitList hits, cudaStream_t stream, const MatchTuning& tuning) {
    const auto kernel = match_streamed<Id, staged, disjunctions, Shape>;
    const std::size_t masks_bytes = staged ? std::size_t{masks.stride} * 4 : 0;
    const std::uint32_t threads = threads_beside(masks_bytes, Shape::threads, device);
    const std::uint32_t warps = threads / 32;
    const std::size_t shared_max = static_cast<std::size_t>(device.shared_bytes);
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, device.shared_bytes),
          "cudaFuncSetAttribute");
    const std::uint32_t tasks = rows.streamed_task[ClusterView::log_unit + 1];
    const std::uint32_t blocks = blocks_for(tasks, words, 4, device.blocks(tuning));
    Plan plan{};
    const std::size_t room = (shared_max - sizeof(Shared) - masks_bytes) / warps / sizeof(Found);
    plan.found = std::min(static_cast<std::uint32_t>(room), found_beside_masks);
    share_out(tasks, words, blocks, plan);
    mix_classes(tasks, blocks / words, warps, plan);

    cudaLaunchAttribute attribute;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(threads);
    config.stream = stream;
    config.dynamicSmemBytes = sizeof(Shared) + masks_bytes + std::size_t{plan.found} * warps * sizeof(Found);
    if (tuning.overlap_masks) launch_early(kernel, config, &attribute);
    check(cudaLaunchKernelEx(&config, kernel, rows, masks, plan, hits), "match_streamed");
}

template <class Id, bool disjunctions>
void launch_all(const DeviceLimits& device, const ClusterView& rows, MaskView masks, std::uint32_t words, HitList hits,
                cudaStream_t stream, const MatchTuning& tuning) {
    if (rows.streamed_count > 0) {
        auto run = launch_streamed<Id, false, disjunctions, WithoutStaging>;
        if constexpr (sizeof(Id) == 2) {
            if (threads_beside(std::size_t{masks.stride} * 4, threads_min, device) > 0) {
                run = words == 1 ? launch_streamed<Id, true, disjunctions, Small>
                                 : launch_streamed<Id, true, disjunctions, Wide>;
            }
        }
        run(device, rows, masks, words, hits, stream, tuning);
    }
    if (rows.guarded_count > 0) {
        const std::uint32_t blocks = blocks_for(rows.guarded_count, words, 32, 2 * device.blocks(tuning));
        Plan plan{};
        share_out(rows.guarded_count, words, blocks, plan);
        match_guarded<Id, disjunctions><<<blocks, guarded_threads, 0, stream>>>(rows, masks, plan, hits);
        check_launch("match_guarded");
    }
    if constexpr (disjunctions) {
        resolve_disjunctions<<<static_cast<unsigned>(device.multiprocessors), 256, 0, stream>>>(rows, words, hits);
        check_launch("resolve_disjunctions");
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
    const bool disjunctions = rows.disjunction_count > 0;
    const auto run = rows.narrow ? (disjunctions ? launch_all<std::uint16_t, true> : launch_all<std::uint16_t, false>)
                                 : (disjunctions ? launch_all<std::uint32_t, true> : launch_all<std::uint32_t, false>);
    run(device, rows, masks, words, hits, stream, tuning);
}

}  // namespace sluice::cuda
