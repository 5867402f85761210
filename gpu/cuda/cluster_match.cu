#include <algorithm>
#include <cuda_runtime.h>
#include <stdexcept>

#include "gpu/cuda/cluster_match.hpp"
#include "gpu/cuda/cluster_units.cuh"
#include "gpu/cuda/hopper.cuh"

namespace sluice::cuda {

namespace {

constexpr std::uint32_t threads = 1024, warps = threads / 32;
constexpr std::uint32_t team_warps = 8, teams = warps / team_warps, team_threads = 32 * team_warps;
constexpr std::uint32_t stages_max = 2;
constexpr std::uint32_t warp_units_max = 4;  // of a chunk
constexpr std::uint32_t chunk_units_max = warp_units_max * team_warps;
// How many units a warp decides before it writes their hits: the rows' events are in registers.
__host__ __device__ constexpr std::uint32_t units_at_once(std::uint32_t log_size) {
    return log_size == 1 ? 2 : warp_units_max;
}
constexpr int registers = 64;  // a thread: all there are, and none are spilled in the inner loops

// How the work is cut up; the same for all blocks.
struct Plan {
    // The units of all words are a line; each block has `share` of them, the first `share_rest` blocks one more.
    std::uint32_t streamed_share, streamed_rest, guarded_share, guarded_rest;
    // A team reads up to chunk_units at a time into one of `stages` parts of its shared memory.
    std::uint32_t chunk_units, stages, stages_bytes;
};

// The begin of a block's shared memory. Behind it stand the masks of a word, behind those the teams' stages.
struct alignas(16) Shared {
    std::uint64_t masks_full;
    std::uint64_t full[teams][stages_max];
    std::uint32_t counts[teams][2][team_warps];
    std::uint32_t begins[teams][2];
};

struct Interval {
    std::uint32_t begin, end;
};
__device__ Interval interval_of(std::uint32_t block, std::uint32_t share, std::uint32_t rest) {
    const std::uint32_t begin = block * share + min(block, rest);
    return {begin, begin + share + (block < rest ? 1 : 0)};
}

// Eight warps that go through streamed units together: chunk by chunk their literal numbers come into shared memory,
// each warp decides some units, the team counts what it found, reserves its part of the list by one atomic addition,
// and each warp writes its hits. While a team waits, the others work.
template <class Id, bool disjunctions>
class Team {
public:
    __device__ Team(const ClusterView& rows, const Plan& plan, Shared& shared, std::byte* stages)
        : rows_(rows), plan_(plan), shared_(shared), stages_(stages + team() * plan.stages * stage_bytes()) {}

    __device__ void init_barriers() {
#if SLUICE_HOPPER
        if (is_leader()) {
            for (std::uint32_t s = 0; s < plan_.stages; ++s) init_barrier(&shared_.full[team()][s]);
        }
#endif
    }

    // The team's part of the block's units of one word; starts to read the first of them.
    __device__ void begin(Interval units) {
        const std::uint32_t count = units.end - units.begin;
        log_size_ = 0;
        class_end_ = 0;
        next_ = units.begin + count * team() / teams;
        end_ = units.begin + count * (team() + 1) / teams;
        std::uint32_t stage = stage_;
        std::uint32_t unit = next_;
        for (std::uint32_t s = 0; s < plan_.stages && unit < end_; ++s, unit += plan_.chunk_units) {
            load(stage, unit);
            stage = stage + 1 == plan_.stages ? 0 : stage + 1;
        }
    }

    __device__ void run(std::uint32_t word, const std::uint32_t* masks, const HitList& list) {
        for (; next_ < end_; next_ += plan_.chunk_units) {
            await();
            // Seldom more than one size class in a chunk.
            const std::uint32_t end = next_ + min(plan_.chunk_units, end_ - next_);
            for (Interval units{next_, 0}; units.begin < end; units.begin = units.end) {
                for (; units.begin >= class_end_; class_end_ = rows_.streamed_unit[log_size_ + 1]) ++log_size_;
                units.end = min(min(end, class_end_), units.begin + team_warps * units_at_once(log_size_));
                for_size_class(log_size_,
                               [&]<std::uint32_t log_size>() { match_class<log_size>(units, word, masks, list); });
            }
            const std::uint32_t refill = next_ + plan_.stages * plan_.chunk_units;
            if (refill < end_) {
                sync();  // all have read what they want of the stage
                load(stage_, refill);
            }
            stage_ = stage_ + 1 == plan_.stages ? 0 : stage_ + 1;
            if (stage_ == 0) parity_ ^= 1;
        }
    }

private:
    static constexpr std::uint32_t unit_bytes = ClusterView::unit_ids * sizeof(Id);

    __device__ static std::uint32_t team() { return threadIdx.x / team_threads; }
    __device__ static std::uint32_t warp() { return threadIdx.x / 32 % team_warps; }
    __device__ static bool is_leader() { return threadIdx.x % team_threads == 0; }
    __device__ static void sync() {
        __syncwarp();
        asm volatile("bar.sync %0, %1;" ::"r"(team() + 1), "n"(team_threads) : "memory");
    }
    __device__ std::uint32_t stage_bytes() const { return plan_.chunk_units * unit_bytes; }
    __device__ std::byte* unit_in_stage(std::uint32_t u) const {
        return stages_ + stage_ * stage_bytes() + u * unit_bytes;
    }
#if SLUICE_HOPPER
    __device__ void load(std::uint32_t stage, std::uint32_t unit) {
        if (!is_leader()) return;
        const std::uint32_t bytes = min(plan_.chunk_units, end_ - unit) * unit_bytes;
        const auto* from = static_cast<const std::byte*>(rows_.ids) + std::size_t{unit} * unit_bytes;
        expect_bytes(&shared_.full[team()][stage], bytes);
        copy_bulk(stages_ + stage * stage_bytes(), from, bytes, &shared_.full[team()][stage]);
    }
    __device__ void await() { wait_barrier(&shared_.full[team()][stage_], parity_); }
#else
    __device__ void load(std::uint32_t, std::uint32_t) {}
    __device__ void await() {
        const std::uint32_t bytes = min(plan_.chunk_units, end_ - next_) * unit_bytes;
        const auto* from = static_cast<const std::byte*>(rows_.ids) + std::size_t{next_} * unit_bytes;
        sync();
        for (std::uint32_t i = 16 * (threadIdx.x % team_threads); i < bytes; i += 16 * team_threads)
            *reinterpret_cast<uint4*>(unit_in_stage(0) + i) = *reinterpret_cast<const uint4*>(from + i);
        sync();
    }
#endif

    // Each warp takes some neighbouring units of the interval, which belongs to the chunk in the stage.
    template <std::uint32_t log_size>
    __device__ void match_class(Interval units, std::uint32_t word, const std::uint32_t* masks, const HitList& list) {
        constexpr std::uint32_t results = results_of(log_size), units_max = units_at_once(log_size);
        constexpr std::uint32_t slots = units_max * results;  // each of 32 rows, or as many as a unit has
        constexpr std::uint32_t slots_at_once = slots < 4 ? slots : 4;
        static_assert(slots % slots_at_once == 0);
        const std::uint32_t count = units.end - units.begin, begin = count * warp() / team_warps;
        const std::uint32_t mine = count * (warp() + 1) / team_warps - begin;
        const std::uint32_t row = rows_.streamed_row[log_size] + ((units.begin + begin - rows_.streamed_unit[log_size])
                                                                  << (ClusterView::log_unit - log_size));
        const std::byte* const first = unit_in_stage(units.begin + begin - next_);
        std::uint32_t events[units_max][results], found = 0;
#pragma unroll
        for (std::uint32_t u = 0; u < units_max; ++u) {
#pragma unroll
            for (std::uint32_t s = 0; s < results; ++s) events[u][s] = 0;
            if (u >= mine) continue;
            const LaneIds<Id> ids(reinterpret_cast<const uint4*>(first + u * unit_bytes));
            decide<log_size>(ids, masks, events[u]);
#pragma unroll
            for (std::uint32_t s = 0; s < results; ++s) {
                if constexpr (disjunctions)
                    events[u][s] = merged(rows_, row + row_of_slot<log_size>(u * results + s), word, events[u][s]);
                found += __popc(__ballot_sync(whole_warp, events[u][s] != 0));
            }
        }
        std::uint32_t at = reserve_for_team(found, list);
        if (found == 0) return;
        const std::uint32_t* const row_targets = rows_.targets + row;
#pragma unroll
        for (std::uint32_t slot = 0; slot < slots; slot += slots_at_once) {
            std::uint32_t targets[slots_at_once];
#pragma unroll
            for (std::uint32_t i = 0; i < slots_at_once; ++i) {
                if (events[(slot + i) / results][(slot + i) % results] != 0)
                    targets[i] = __ldg(row_targets + row_of_slot<log_size>(slot + i));
            }
#pragma unroll
            for (std::uint32_t i = 0; i < slots_at_once; ++i) {
                const std::uint32_t slot_events = events[(slot + i) / results][(slot + i) % results];
                const std::uint32_t lanes = __ballot_sync(whole_warp, slot_events != 0);
                if (slot_events != 0) put(list, at + __popc(lanes & lanes_before()), targets[i] | word, slot_events);
                at += __popc(lanes);
            }
        }
    }

    // The row that the lane decides in a slot (unit, result), from the first row of the warp's units.
    template <std::uint32_t log_size>
    __device__ static std::uint32_t row_of_slot(std::uint32_t slot) {
        constexpr std::uint32_t results = results_of(log_size);
        return (slot / results << (ClusterView::log_unit - log_size)) + row_in_unit(log_size, slot % results);
    }

    // Where in the list the warp's `found` hits begin. All warps of the team call it.
    __device__ std::uint32_t reserve_for_team(std::uint32_t found, const HitList& list) {
        flip_ ^= 1;
        auto& counts = shared_.counts[team()][flip_];
        std::uint32_t& begin = shared_.begins[team()][flip_];
        if (lane_id() == 0) counts[warp()] = found;
        sync();
        const std::uint32_t count = lane_id() < team_warps ? counts[lane_id()] : 0;
        const std::uint32_t total = __reduce_add_sync(whole_warp, count);
        if (total == 0) return 0;
        if (is_leader()) begin = reserve(list, total);
        const std::uint32_t before = __reduce_add_sync(whole_warp, lane_id() < warp() ? count : 0);
        sync();
        return begin + before;
    }

    const ClusterView& rows_;
    const Plan& plan_;
    Shared& shared_;
    std::byte* const stages_;
    std::uint32_t next_ = 0, end_ = 0;
    std::uint32_t log_size_ = 0, class_end_ = 0;  // of the unit that comes next, and where its class ends
    std::uint32_t stage_ = 0, parity_ = 0, flip_ = 0;
};

// A row of several units: all lanes AND what they read, until nothing is left.
template <class Id>
__device__ std::uint32_t decide_long(const uint4* unit, std::uint32_t units, const std::uint32_t* masks) {
    std::uint32_t all = ~0u;
    for (std::uint32_t u = 0; u < units && all != 0; ++u) {
        const LaneIds<Id> ids(unit + u * 32 * LaneIds<Id>::loads);
#pragma unroll
        for (int j = 0; j < 8; ++j) all &= masks[ids[j]];
        all = __reduce_and_sync(whole_warp, all);
    }
    return lane_id() == 0 ? all : 0;
}

// Guarded units of one word: the block's warps look at 32 access literals each, and read the units of those that hold
// for some event.
template <class Id, bool disjunctions>
__device__ void run_guarded(const ClusterView& rows, Interval units, std::uint32_t word, const std::uint32_t* masks,
                            WarpHits& hits) {
    for (std::uint32_t first = units.begin + threadIdx.x / 32; first < units.end; first += threads) {
        const std::uint32_t mine = first + lane_id() * warps;
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
            const auto* ids = static_cast<const uint4*>(rows.ids) + std::size_t{unit} * 32 * LaneIds<Id>::loads;
            const auto report = [&](std::uint32_t row, std::uint32_t events) {
                events &= guard;
                if constexpr (disjunctions) events = merged(rows, row, word, events);
                hits.append(rows, row, word, events);
            };
            if (log_size > ClusterView::log_unit) {
                const std::uint32_t units_of_row = 1u << (log_size - ClusterView::log_unit);
                report(first_row, decide_long<Id>(ids, units_of_row, masks));
                continue;
            }
            for_size_class(log_size, [&]<std::uint32_t size>() {
                std::uint32_t events[results_of(size)];
                decide<size>(LaneIds<Id>(ids), masks, events);
                for (std::uint32_t s = 0; s < results_of(size); ++s)
                    report(first_row + row_in_unit(size, s), events[s]);
            });
        }
    }
}

// Brings masks [begin, end) into shared memory, which can be read after the next barrier. The whole block calls it.
__device__ void copy_masks(std::uint32_t* to, const std::uint32_t* from, std::uint32_t begin, std::uint32_t end) {
    constexpr std::uint32_t at_once = 4;
    const auto* const quads = reinterpret_cast<const uint4*>(from);
    for (std::uint32_t first = begin / 4 + threadIdx.x; first < end / 4; first += at_once * threads) {
        uint4 quad[at_once];
#pragma unroll
        for (std::uint32_t i = 0; i < at_once; ++i) {
            if (first + i * threads < end / 4) quad[i] = quads[first + i * threads];
        }
#pragma unroll
        for (std::uint32_t i = 0; i < at_once; ++i) {
            if (first + i * threads < end / 4) reinterpret_cast<uint4*>(to)[first + i * threads] = quad[i];
        }
    }
}

#if SLUICE_HOPPER
// The same for all blocks of a cluster, once in a kernel: half of the masks by bulk copies, of which each block issues
// a part for all, meanwhile the other half by the threads of each block. Either way alone takes longer.
__device__ void copy_masks_together(std::uint32_t* to, const std::uint32_t* from, std::uint32_t literals,
                                    Shared& shared) {
    const std::uint32_t bulk = literals / 8 * 4;
    if (threadIdx.x == 0) {
        const std::uint32_t blocks = cluster_blocks(), rank = cluster_rank(), quads = bulk / 4;
        const std::uint32_t begin = quads * rank / blocks * 4, end = quads * (rank + 1) / blocks * 4;
        expect_bytes(&shared.masks_full, 4 * bulk);
        if (begin < end)
            copy_bulk(to + begin, from + begin, 4 * (end - begin), &shared.masks_full,
                      static_cast<std::uint16_t>((1u << blocks) - 1));
    }
    copy_masks(to, from, bulk, literals);
    wait_barrier(&shared.masks_full, 0);
}
#endif

// One block a multiprocessor; the streamed units of all words are a line that is cut into equal parts, one a block, so
// that a block has one word's masks in shared memory at a time and seldom two in turn. Four teams of eight warps go
// through the block's units (class Team).
//
// Bytes, for 4.0 M numbers of 16 bits and 30,000 literals: 8 MB of numbers (1.6 us from the second-level cache; the
// first of them are asked for before the masks are complete), 132 x 120 KB of masks (3.1 us), 8 bytes written and 4
// read for each hit. Look-ups in shared memory meet 2.2 bank conflicts on average (bank_order.hpp): 4.0 M of them
// take 1.1 us. Measured with the masks' kernel: 13.3 us for 32 events, 201 us for 1024.
template <class Id, bool staged, bool disjunctions>
__global__ void __maxnreg__(registers)
    match_streamed(const __grid_constant__ ClusterView rows, const MaskView masks, const __grid_constant__ Plan plan,
                   const __grid_constant__ HitList list) {
    extern __shared__ uint4 dynamic_shared[];
    Shared& shared = *reinterpret_cast<Shared*>(dynamic_shared);
    auto* const room = reinterpret_cast<std::uint32_t*>(&shared + 1);
    std::byte* const stages = reinterpret_cast<std::byte*>(room + (staged ? masks.stride : 0));
    Team<Id, disjunctions> team(rows, plan, shared, stages);
    team.init_barriers();
    Interval line = interval_of(blockIdx.x, plan.streamed_share, plan.streamed_rest);
    std::uint32_t word = 0;
    for (; line.begin >= rows.streamed_count; ++word) {
        line.begin -= rows.streamed_count;
        line.end -= rows.streamed_count;
    }
    team.begin({line.begin, min(line.end, rows.streamed_count)});
#if SLUICE_HOPPER
    if (threadIdx.x == 0) init_barrier(&shared.masks_full);
    if (cluster_blocks() > 1) {
        sync_cluster();
    } else {
        __syncthreads();
    }
#endif
    wait_for_previous();
    for (;; ++word) {
        const std::uint32_t* word_masks = masks.masks + std::size_t{word} * masks.stride;
        if constexpr (staged) {
#if SLUICE_HOPPER
            if (cluster_blocks() > 1) {
                copy_masks_together(room, word_masks, masks.stride, shared);
            } else {
                copy_masks(room, word_masks, 0, masks.stride);
            }
#else
            copy_masks(room, word_masks, 0, masks.stride);
#endif
            __syncthreads();
            word_masks = room;
        }
        team.run(word, word_masks, list);
        if (line.end <= rows.streamed_count) return;
        line.end -= rows.streamed_count;
        __syncthreads();
        team.begin({0, min(line.end, rows.streamed_count)});
    }
}

// The same for guarded units, whose masks and numbers are read through the first-level cache: few of them are needed.
template <class Id, bool disjunctions>
__global__ void __launch_bounds__(threads, 1)
    match_guarded(const __grid_constant__ ClusterView rows, const MaskView masks, const __grid_constant__ Plan plan,
                  const __grid_constant__ HitList list) {
    __shared__ Hit buffers[warps][WarpHits::capacity];
    WarpHits hits(buffers[threadIdx.x / 32], list);
    Interval line = interval_of(blockIdx.x, plan.guarded_share, plan.guarded_rest);
    for (std::uint32_t word = 0; line.end > 0; ++word) {
        const Interval units{line.begin, min(line.end, rows.guarded_count)};
        const std::uint32_t* const word_masks = masks.masks + std::size_t{word} * masks.stride;
        run_guarded<Id, disjunctions>(rows, units, word, word_masks, hits);
        line.begin -= min(line.begin, rows.guarded_count);
        line.end -= units.end;
    }
    hits.flush();
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
    bool hopper = false;

    explicit DeviceLimits(int device) {
        int major = 0;
        check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "multiprocessors");
        check(cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "shared memory");
        check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "compute capability");
        hopper = major >= 9;
    }
    std::uint32_t blocks(const MatchTuning& tuning) const {
        return static_cast<std::uint32_t>(tuning.blocks > 0 ? tuning.blocks : multiprocessors);
    }
};

constexpr std::size_t stages_bytes_min = 16u << 10;
constexpr std::size_t stages_bytes_max = 128u << 10;
// Where the masks are read through the first-level cache, most of it is left to them.
constexpr std::size_t stages_bytes_beside_cache = 32u << 10;

// How many units a team reads at a time: all it has of a word at once, if they fit; else in turns.
void plan_stages(std::size_t room, std::size_t unit_bytes, std::uint32_t block_units, Plan& plan) {
    const std::size_t team_units = (block_units + teams - 1) / teams;
    const std::size_t fit = room / (teams * unit_bytes);
    plan.stages = team_units <= std::min<std::size_t>(fit, chunk_units_max) ? 1 : stages_max;
    std::size_t units = std::min<std::size_t>({team_units, fit / plan.stages, chunk_units_max});
    if (plan.stages > 1 && units > team_warps) units -= units % team_warps;  // as many for each warp
    plan.chunk_units = static_cast<std::uint32_t>(std::max<std::size_t>(1, units));
    plan.stages_bytes = static_cast<std::uint32_t>(teams * plan.stages * plan.chunk_units * unit_bytes);
}

// Equal parts of the units of all words.
std::uint32_t blocks_for(std::uint32_t units, std::uint32_t words, std::uint32_t blocks_max) {
    const std::uint64_t all = std::uint64_t{units} * words;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(blocks_max, (all + warps - 1) / warps));
}

template <class Id, bool staged, bool disjunctions>
void launch_streamed(const DeviceLimits& device, const ClusterView& rows, MaskView masks, std::uint32_t words,
                     HitList hits, cudaStream_t stream, const MatchTuning& tuning) {
    const auto kernel = match_streamed<Id, staged, disjunctions>;
    const std::size_t masks_bytes = staged ? std::size_t{masks.stride} * 4 : 0;
    const std::size_t shared_max = static_cast<std::size_t>(device.shared_bytes);
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, device.shared_bytes),
          "cudaFuncSetAttribute");
    std::uint32_t blocks = blocks_for(rows.streamed_count, words, device.blocks(tuning));
    std::uint32_t cluster = 1;
    if (staged && device.hopper && words == 1)
        cluster = tuning.thread_block_cluster > 0 ? static_cast<std::uint32_t>(tuning.thread_block_cluster) : 1;
    if (blocks < cluster) cluster = 1;

    cudaLaunchAttribute attributes[2];
    cudaLaunchConfig_t config{};
    config.blockDim = dim3(threads);
    config.stream = stream;
    config.attrs = attributes;
    if (cluster > 1) {
        attributes[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
        attributes[config.numAttrs++].val.clusterDim = {cluster, 1, 1};
    }
    if (cluster > 2) {  // they do not fill all multiprocessors, and shall all run at once
        int at_once = 0;
        config.gridDim = dim3(cluster);
        config.dynamicSmemBytes = shared_max;
        check(cudaOccupancyMaxActiveClusters(&at_once, kernel, &config), "cudaOccupancyMaxActiveClusters");
        blocks = std::min(blocks, cluster * static_cast<std::uint32_t>(std::max(at_once, 1)));
    }
    blocks -= blocks % cluster;

    Plan plan{};
    plan.streamed_share = rows.streamed_count * words / blocks;
    plan.streamed_rest = rows.streamed_count * words % blocks;
    const std::size_t room =
        staged ? std::min(stages_bytes_max, shared_max - sizeof(Shared) - masks_bytes) : stages_bytes_beside_cache;
    plan_stages(room, ClusterView::unit_ids * sizeof(Id), std::min(plan.streamed_share + 1, rows.streamed_count), plan);
    config.gridDim = dim3(blocks);
    config.dynamicSmemBytes = sizeof(Shared) + plan.stages_bytes + masks_bytes;
    if (tuning.overlap_masks && device.hopper) {
        attributes[config.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attributes[config.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
    }
    check(cudaLaunchKernelEx(&config, kernel, rows, masks, plan, hits), "match_streamed");
}

template <class Id, bool disjunctions>
void launch_all(const DeviceLimits& device, const ClusterView& rows, MaskView masks, std::uint32_t words, HitList hits,
                cudaStream_t stream, const MatchTuning& tuning) {
    const bool staged = sizeof(Id) == 2 && sizeof(Shared) + stages_bytes_min + std::size_t{masks.stride} * 4 <=
                                               static_cast<std::size_t>(device.shared_bytes);
    if (rows.streamed_count > 0) {
        if constexpr (sizeof(Id) == 2) {
            const auto run =
                staged ? launch_streamed<Id, true, disjunctions> : launch_streamed<Id, false, disjunctions>;
            run(device, rows, masks, words, hits, stream, tuning);
        } else {
            launch_streamed<Id, false, disjunctions>(device, rows, masks, words, hits, stream, tuning);
        }
    }
    if (rows.guarded_count > 0) {
        const std::uint32_t blocks = blocks_for(rows.guarded_count, words, device.blocks(tuning));
        Plan plan{};
        plan.guarded_share = rows.guarded_count * words / blocks;
        plan.guarded_rest = rows.guarded_count * words % blocks;
        match_guarded<Id, disjunctions><<<blocks, threads, 0, stream>>>(rows, masks, plan, hits);
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
