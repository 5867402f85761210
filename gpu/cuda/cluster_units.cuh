// What a warp does with one unit of 256 literal numbers (cluster_rows.hpp): it looks their masks up and ANDs them row
// by row; and how it names and reports what is left. Device functions that the whole warp calls together.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/cuda/cluster_rows.hpp"
#include "gpu/cuda/hits.hpp"

namespace sluice::cuda {

constexpr std::uint32_t whole_warp = 0xffffffffu;
// In Hit::target_word: the target is a disjunction's number.
constexpr std::uint32_t unresolved_flag = ClusterView::disjunction_flag;

__device__ inline std::uint32_t lane_id() { return threadIdx.x % 32; }
__device__ inline std::uint32_t lanes_before() { return (1u << lane_id()) - 1; }

// What the lane holds of a unit: eight literal numbers.
template <class Id>
struct LaneIds {
    static constexpr int loads = 8 * sizeof(Id) / sizeof(uint4);
    uint4 raw[loads];

    __device__ explicit LaneIds(const uint4* unit) {
#pragma unroll
        for (int i = 0; i < loads; ++i) raw[i] = unit[lane_id() * loads + i];
    }
    __device__ std::uint32_t operator[](int j) const {
        const int word = sizeof(Id) == 2 ? j / 2 : j;
        const uint4& quad = raw[word / 4];
        const std::uint32_t w = word % 4 == 0 ? quad.x : word % 4 == 1 ? quad.y : word % 4 == 2 ? quad.z : quad.w;
        if constexpr (sizeof(Id) == 4) return w;
        return j % 2 == 0 ? w & 0xffff : w >> 16;
    }
};

// How many rows of a unit one lane may decide, and which: rows of 2^log_size literals, up to a unit.
__device__ constexpr std::uint32_t results_of(std::uint32_t log_size) {
    return log_size == 1 ? 4 : log_size == 2 ? 2 : 1;
}
__device__ inline std::uint32_t row_in_unit(std::uint32_t log_size, std::uint32_t s) {
    return log_size <= 3 ? 32 * s + lane_id() : lane_id() >> (log_size - 3);
}

// events[s] becomes what the lane says of row row_in_unit(s), for s < results_of(log_size); 0 where it says nothing. Of
// rows of 8 and more, the second half of a lane's literals is looked up only if some lane of the warp has anything
// left.
template <std::uint32_t log_size, class Id>
__device__ void decide(const LaneIds<Id>& ids, const std::uint32_t* masks,
                       std::uint32_t (&events)[results_of(log_size)]) {
    const auto pair = [&](int j) { return masks[ids[j]] & masks[ids[j + 1]]; };
    if constexpr (log_size == 1) {
        for (int s = 0; s < 4; ++s) events[s] = pair(2 * s);
    } else if constexpr (log_size == 2) {
        for (int s = 0; s < 2; ++s) events[s] = pair(4 * s) & pair(4 * s + 2);
    } else {
        constexpr std::uint32_t lanes = 1u << (log_size - 3);
        std::uint32_t all = pair(0) & pair(2);
        if (__any_sync(whole_warp, all != 0)) {
            all &= pair(4) & pair(6);
            if constexpr (lanes == 32) {
                all = __reduce_and_sync(whole_warp, all);
            } else {
#pragma unroll
                for (std::uint32_t step = 1; step < lanes; step *= 2) all &= __shfl_xor_sync(whole_warp, all, step);
            }
            if (lane_id() % lanes != 0) all = 0;
        }
        events[0] = all;
    }
}

// Calls body.template operator()<log_size>(), so that what follows is made for the size class.
template <class Body>
__device__ void for_size_class(std::uint32_t log_size, Body body) {
    switch (log_size) {
        case 1:
            return body.template operator()<1>();
        case 2:
            return body.template operator()<2>();
        case 3:
            return body.template operator()<3>();
        case 4:
            return body.template operator()<4>();
        case 5:
            return body.template operator()<5>();
        case 6:
            return body.template operator()<6>();
        case 7:
            return body.template operator()<7>();
        default:
            return body.template operator()<8>();
    }
}

// Of a disjunction, only the first row that holds for some event of a word makes a hit; the others add their events.
// Returns what is left to report.
__device__ inline std::uint32_t merged(const ClusterView& rows, std::uint32_t row, std::uint32_t word,
                                       std::uint32_t events) {
    if (events == 0) return 0;
    const std::uint32_t target = __ldg(rows.targets + row);
    if ((target & ClusterView::disjunction_flag) == 0) return events;
    const std::size_t at = std::size_t{word} * rows.disjunction_count + (target >> 5 & (Hit::targets_max - 1));
    return atomicOr(rows.disjunctions + at, events) == 0 ? events : 0;
}

// One thread alone: the compiler would have a whole warp add together.
__device__ inline std::uint32_t reserve(const HitList& list, std::uint32_t hits) {
    std::uint32_t begin;
    asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(begin) : "l"(list.count), "r"(hits) : "memory");
    return begin;
}

// Written once, read by nobody here: shall not push the rows out of the second-level cache.
__device__ inline void put(const HitList& list, std::uint32_t at, std::uint32_t target_and_word, std::uint32_t events) {
    if (at < list.capacity) __stcs(reinterpret_cast<uint2*>(list.hits) + at, make_uint2(target_and_word, events));
}

// A warp's hits, collected in shared memory and appended to the list some at a time.
class WarpHits {
public:
    static constexpr std::uint32_t capacity = 64;

    __device__ WarpHits(Hit* buffer, const HitList& list) : buffer_(buffer), list_(list) {}

    __device__ void append(const ClusterView& rows, std::uint32_t row, std::uint32_t word, std::uint32_t events) {
        const std::uint32_t lanes = __ballot_sync(whole_warp, events != 0);
        if (lanes == 0) return;
        if (size_ + __popc(lanes) > capacity) flush();
        if (events != 0) {
            Hit& hit = buffer_[size_ + __popc(lanes & lanes_before())];
            hit.target_word = __ldg(rows.targets + row) | word;
            hit.events = events;
        }
        size_ += __popc(lanes);
    }

    __device__ void flush() {
        if (size_ == 0) return;
        __syncwarp();
        std::uint32_t begin = 0;
        if (lane_id() == 0) begin = reserve(list_, size_);
        begin = __shfl_sync(whole_warp, begin, 0);
        for (std::uint32_t i = lane_id(); i < size_; i += 32)
            put(list_, begin + i, buffer_[i].target_word, buffer_[i].events);
        size_ = 0;
        __syncwarp();
    }

private:
    Hit* buffer_;
    const HitList& list_;
    std::uint32_t size_ = 0;
};

}  // namespace sluice::cuda
