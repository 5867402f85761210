// Counts diagonals in a thread block of exact_lines: a warp builds the bits of rows, a lane 32 columns. Included by
// exact_kernel.cu alone.
#pragma once

#include "gpu/operators/recurrence/exact_ranges.cuh"

namespace sluice::recurrence::cuda {
namespace {

// Counts the ones in successive words, by column, with carry-save adders instead of a population count per word, of
// which the chip does only 16 per cycle.
struct Counter {
    std::uint32_t ones = 0, twos = 0, fours = 0, eights_counted = 0;

    static __device__ std::uint32_t add(std::uint32_t& sum, std::uint32_t a, std::uint32_t b) {
        const std::uint32_t carry = (sum & a) | (sum & b) | (a & b);
        sum ^= a ^ b;
        return carry;
    }
    __device__ void add8(const std::uint32_t (&w)[8]) {
        const std::uint32_t a = add(ones, w[0], w[1]), b = add(ones, w[2], w[3]);
        const std::uint32_t c = add(ones, w[4], w[5]), d = add(ones, w[6], w[7]);
        const std::uint32_t e = add(twos, a, b), f = add(twos, c, d);
        eights_counted += __popc(add(fours, e, f));
    }
    __device__ std::uint32_t count() const {
        return 8 * eights_counted + 4 * __popc(fours) + 2 * __popc(twos) + __popc(ones);
    }
};

// The own columns in the word of columns from 32 * word on.
__device__ std::uint32_t own_mask(std::uint32_t own_columns, std::uint32_t word) {
    const std::uint32_t own = own_columns > 32 * word ? own_columns - 32 * word : 0;
    return own >= 32 ? all_lanes : (1u << own) - 1;
}

// One row as a lane sees it: its 32 columns, and the same shifted by one and two columns to the right.
struct Row {
    std::uint32_t bits, right1, right2;
};

__device__ Row read_row(const std::uint32_t* lane_prefix, const Ends& ends) {
    Row row;
    row.bits = lane_prefix[ends.first * words] ^ lane_prefix[ends.end * words];
    const std::uint32_t next = __shfl_down_sync(all_lanes, row.bits, 1);
    row.right1 = __funnelshift_r(row.bits, next, 1);
    row.right2 = __funnelshift_r(row.bits, next, 2);
    return row;
}

// Adds the diagonal stretches of 2 and 3 that begin in a warp's `count` rows, a multiple of 8; the ends of two more
// rows follow.
__device__ void count_pairs(const Shared& shared, const Ends* ends, std::uint32_t count, std::uint32_t own_columns,
                            Counted& counted) {
    const std::uint32_t lane = threadIdx.x % 32, own = own_mask(own_columns, lane);
    const std::uint32_t* lane_prefix = &shared.prefix[0][lane];
    Counter diagonal_min, diagonal_next;
    Row row = read_row(lane_prefix, ends[0]), next = read_row(lane_prefix, ends[1]);
    for (std::uint32_t k = 0; k < count; k += 8) {
        std::uint32_t d2[8], d3[8];
#pragma unroll
        for (std::uint32_t i = 0; i < 8; ++i) {
            const Row after = read_row(lane_prefix, ends[k + i + 2]);
            d2[i] = row.bits & own & next.right1;
            d3[i] = d2[i] & after.right2;
            row = next;
            next = after;
        }
        diagonal_min.add8(d2);
        diagonal_next.add8(d3);
    }
    counted.diagonal_min += diagonal_min.count();
    counted.diagonal_next += diagonal_next.count();
}

// The lengths of 32 runs of ones, as bits of the same weight in one word. Each starts from 2^bits - shortest, so that
// it overflows once its run is long enough; a bit is stored as its difference from the start.
template <std::uint32_t bits>
struct Runs {
    std::uint32_t difference[bits] = {};
    std::uint32_t long_enough = 0;

    __device__ void add(std::uint32_t row, std::uint32_t shortest) {
        std::uint32_t carry = row;
#pragma unroll
        for (std::uint32_t i = 0; i < bits; ++i) {
            const std::uint32_t start = 0u - (((1u << bits) - shortest) >> i & 1u);
            const std::uint32_t bit = difference[i] ^ start;
            difference[i] = (difference[i] ^ carry) & row;
            carry &= bit;
        }
        long_enough = (long_enough | carry) & row;
    }
};

// The same for stretches of l_min (2^(bits-1) < l_min <= 2^bits) and l_min + 1; the ends of l_min more rows follow.
// Goes up through the rows, so that a run is known where it begins. A lane follows 32 diagonals: in row k, its columns
// are those from 32 * lane + k on, modulo 1024. A diagonal that goes on from column 1023 at column 0 is a wrong one,
// but decides nothing in own columns, since l_min + 1 points lie in between.
template <std::uint32_t bits>
__device__ void count_long(const Shared& shared, const Ends* ends, std::uint32_t count, std::uint32_t own_columns,
                           std::uint32_t l_min, Counted& counted) {
    const std::uint32_t lane = threadIdx.x % 32, next_lane = (lane + 1) % 32;
    Runs<bits> runs;
    for (std::uint32_t end = count + l_min; end > 0;) {
        const std::uint32_t group = (end - 1) / 32, word = (lane + group) % words;
        const std::uint32_t* word_prefix = &shared.prefix[0][word];
        const std::uint32_t own = own_mask(own_columns, word), own_next = own_mask(own_columns, (word + 1) % words);
        for (; end > 32 * group; --end) {
            const std::uint32_t k = end - 1;
            const std::uint32_t unshifted = word_prefix[ends[k].first * words] ^ word_prefix[ends[k].end * words];
            const std::uint32_t next = __shfl_sync(all_lanes, unshifted, next_lane);
            const std::uint32_t row = __funnelshift_r(unshifted, next, k % 32);
            const std::uint32_t longer = runs.long_enough & row;
            runs.add(row, l_min);
            if (k >= count) continue;
            const std::uint32_t own_row = __funnelshift_r(own, own_next, k % 32);
            counted.diagonal_min += __popc(runs.long_enough & own_row);
            counted.diagonal_next += __popc(longer & own_row);
        }
    }
}

__device__ void count_diagonal(const Shared& shared, const Ends* ends, std::uint32_t count, std::uint32_t own_columns,
                               std::uint32_t l_min, Counted& counted) {
    if (l_min <= 2)
        count_pairs(shared, ends, count, own_columns, counted);
    else if (l_min <= 4)
        count_long<2>(shared, ends, count, own_columns, l_min, counted);
    else if (l_min <= 8)
        count_long<3>(shared, ends, count, own_columns, l_min, counted);
    else if (l_min <= 16)
        count_long<4>(shared, ends, count, own_columns, l_min, counted);
    else if (l_min <= 32)
        count_long<5>(shared, ends, count, own_columns, l_min, counted);
    else
        count_long<6>(shared, ends, count, own_columns, l_min, counted);
}

}  // namespace
}  // namespace sluice::recurrence::cuda
