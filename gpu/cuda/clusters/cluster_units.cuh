// How a warp processes units of 256 literal numbers (cluster_layout.hpp): it looks up their masks and ANDs them row by
// row, and collects and reports the results. Device functions that the whole warp calls together.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/cuda/clusters/cluster_rows.hpp"
#include "gpu/cuda/clusters/hits.hpp"

namespace sluice::cuda {

constexpr std::uint32_t whole_warp = 0xffffffffu;

__device__ inline std::uint32_t lane_id() { return threadIdx.x % 32; }
__device__ inline std::uint32_t lanes_before() { return (1u << lane_id()) - 1; }

// For data read only once: bypasses the L1 cache.
__device__ inline uint4 load_once(const uint4* from) {
    uint4 v;
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(from));
    return v;
}

// The lane's part of a unit: eight literal numbers.
template <class Id>
struct LaneIds {
    static constexpr std::uint32_t loads = 8 * sizeof(Id) / sizeof(uint4);
    static constexpr std::uint32_t unit_loads = 32 * loads;
    uint4 raw[loads];

    __device__ void load(const uint4* unit) {
#pragma unroll
        for (std::uint32_t i = 0; i < loads; ++i) raw[i] = load_once(unit + lane_id() * loads + i);
    }
    __device__ std::uint32_t operator[](int j) const {
        const int word = sizeof(Id) == 2 ? j / 2 : j;
        const uint4& quad = raw[word / 4];
        const std::uint32_t w = word % 4 == 0 ? quad.x : word % 4 == 1 ? quad.y : word % 4 == 2 ? quad.z : quad.w;
        if constexpr (sizeof(Id) == 4) return w;
        return __byte_perm(w, 0, j % 2 == 0 ? 0x4410 : 0x4432);  // extracts one half; not merged with the address shift
    }
    // The events for which literals begin … end - 1 all hold.
    template <int begin, int end>
    __device__ std::uint32_t all_of(const std::uint32_t* masks) const {
        std::uint32_t all = masks[(*this)[begin]];
#pragma unroll
        for (int j = begin + 1; j < end; ++j) all &= masks[(*this)[j]];
        return all;
    }
};

// Rows of two or four literals: the lane has four or two of them, 32 rows apart.
template <int rows, class Id>
__device__ void decide_short(const LaneIds<Id>& ids, const std::uint32_t* masks, std::uint32_t* events) {
    if constexpr (rows == 4) {
        events[0] = ids.template all_of<0, 2>(masks);
        events[1] = ids.template all_of<2, 4>(masks);
        events[2] = ids.template all_of<4, 6>(masks);
        events[3] = ids.template all_of<6, 8>(masks);
    } else {
        events[0] = ids.template all_of<0, 4>(masks);
        events[1] = ids.template all_of<4, 8>(masks);
    }
}

// The number of lanes of a unit that hold one row of 8 to 256 literals.
__device__ inline std::uint32_t lanes_of_row(std::uint32_t log_size) { return 1u << (log_size - 3); }

// Called by one thread. In assembly because the compiler would turn it into an addition by the whole warp.
__device__ inline std::uint32_t reserve(const HitList& list, std::uint32_t hits) {
    std::uint32_t begin;
    asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(begin) : "l"(list.count), "r"(hits) : "memory");
    return begin;
}

// Written once and not read by the kernel: must not evict the rows from the L2 cache.
__device__ inline void put(const HitList& list, std::uint32_t at, std::uint32_t target_and_word, std::uint32_t events) {
    if (at < list.capacity) __stcs(reinterpret_cast<uint2*>(list.hits) + at, make_uint2(target_and_word, events));
}

// A row that holds, before it gets its place in the list.
struct alignas(8) Found {
    std::uint32_t row, events;
};

// A warp's results for one word, in shared memory, until they are moved to the list.
class WarpHits {
public:
    __device__ WarpHits(Found* found, std::uint32_t capacity, const std::uint32_t* targets, const HitList& list)
        : found_(found), capacity_(capacity), targets_(targets), list_(list) {}

    // Called before up to `rows` rows are appended; that many must fit when the buffer is empty.
    __device__ void make_room(std::uint32_t rows, std::uint32_t word) {
        if (size_ + rows > capacity_) flush(word);
    }
    // Appends one row per lane; none where events is 0.
    __device__ void append(std::uint32_t row, std::uint32_t events) {
        const std::uint32_t lanes = __ballot_sync(whole_warp, events != 0);
        if (events != 0) found_[size_ + __popc(lanes & lanes_before())] = {row, events};
        size_ += __popc(lanes);
    }

    __device__ void flush(std::uint32_t word) {
        constexpr std::uint32_t at_once = 4;
        __syncwarp();
        std::uint32_t begin = 0;
        if (lane_id() == 0 && size_ != 0) begin = reserve(list_, size_);
        begin = __shfl_sync(whole_warp, begin, 0);
        for (std::uint32_t first = lane_id(); first < size_ + lane_id(); first += 32 * at_once) {
            Found some[at_once];
            std::uint32_t target[at_once];
#pragma unroll
            for (std::uint32_t i = 0; i < at_once; ++i) {
                if (first + 32 * i >= size_) continue;
                some[i] = found_[first + 32 * i];
                target[i] = __ldg(targets_ + some[i].row);
            }
#pragma unroll
            for (std::uint32_t i = 0; i < at_once; ++i) {
                if (first + 32 * i < size_) put(list_, begin + first + 32 * i, target[i] | word, some[i].events);
            }
        }
        __syncwarp();
        size_ = 0;
    }

    __device__ std::uint32_t size() const { return size_; }
    __device__ void clear() { size_ = 0; }

private:
    Found* found_;
    std::uint32_t capacity_, size_ = 0;
    const std::uint32_t* targets_;
    const HitList& list_;
};

}  // namespace sluice::cuda
