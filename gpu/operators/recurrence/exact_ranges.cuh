// What a thread block of exact_lines keeps in shared memory: its sorted columns, their prefix sets, and the ranges of
// sorted values that recur with rows. Included by exact_kernel.cu alone.
#pragma once

#include <cstdint>

#include "gpu/operators/recurrence/exact_plan.hpp"

namespace sluice::recurrence::cuda {
namespace {

constexpr std::uint32_t threads = 1024, warps = threads / 32, words = block_columns / 32;
constexpr std::uint32_t rows_together_max = 2048;
constexpr std::uint32_t all_lanes = 0xffffffff;

// A row has points at the block's sorted values first … end - 1. So its bits are the XOR of these two prefix sets.
struct alignas(8) Ends {
    std::uint32_t first, end;
};

// The block's values, ascending. Binary searches read values that are a power of two apart at the same time; a gap
// after every 16 values puts these into different banks.
struct Sorted {
    double values[block_columns + block_columns / 16];

    __device__ double& operator[](std::uint32_t r) { return values[r + r / 16]; }
    __device__ double operator[](std::uint32_t r) const { return values[r + r / 16]; }
};

struct Shared {
    std::uint32_t prefix[block_columns + 1][words];
    Sorted sorted;
    std::uint16_t column[block_columns];
    std::uint16_t rank[block_columns];
    std::uint16_t own_below[block_columns + 1];  // own_below[r]: how many of the r smallest values are in own columns
    Ends ends[2][rows_together_max + shortest_line_max];  // of the rows being counted, and of the next ones
    unsigned long long counted[5][warps];
};

// Sorts the block's values with their columns. Columns past the end are infinite, so they recur with nothing.
__device__ void sort_block(const double* series, const ExactWork& work, Shared& shared) {
    const std::uint32_t t = threadIdx.x, c = work.first_column + t;
    shared.sorted[t] = c < work.points ? series[c] : __longlong_as_double(0x7ff0000000000000);
    shared.column[t] = static_cast<std::uint16_t>(t);
    __syncthreads();
    for (std::uint32_t size = 2; size <= block_columns; size *= 2) {
        for (std::uint32_t step = size / 2; step > 0; step /= 2) {
            const std::uint32_t other = t ^ step;
            if (other > t) {
                const double mine = shared.sorted[t], its = shared.sorted[other];
                if ((mine > its) == ((t & size) == 0)) {
                    const std::uint16_t column = shared.column[t];
                    shared.sorted[t] = its;
                    shared.sorted[other] = mine;
                    shared.column[t] = shared.column[other];
                    shared.column[other] = column;
                }
            }
            __syncthreads();
        }
    }
    shared.rank[shared.column[t]] = static_cast<std::uint16_t>(t);
    __syncthreads();
}

// Builds own_below.
__device__ void count_own_columns(std::uint32_t own_columns, Shared& shared) {
    const std::uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const std::uint32_t own = __ballot_sync(all_lanes, shared.column[threadIdx.x] < own_columns);
    if (lane == 0) shared.counted[0][warp] = __popc(own);
    __syncthreads();
    std::uint32_t count = __popc(own & all_lanes >> (31 - lane));
    for (std::uint32_t w = 0; w < warp; ++w) count += static_cast<std::uint32_t>(shared.counted[0][w]);
    shared.own_below[threadIdx.x + 1] = static_cast<std::uint16_t>(count);
    if (threadIdx.x == 0) shared.own_below[0] = 0;
    __syncthreads();
}

// Builds prefix[k], the columns of the k smallest values: each warp builds 32 sets, one word per lane.
__device__ void build_prefixes(Shared& shared) {
    const std::uint32_t lane = threadIdx.x % 32, first = threadIdx.x / 32 * 32;
    std::uint32_t word = 0;
    for (std::uint32_t bit = 0; bit < 32; ++bit) word |= (shared.rank[32 * lane + bit] < first ? 1u : 0u) << bit;
    if (first == 0) shared.prefix[0][lane] = 0;
    for (std::uint32_t k = first; k < first + 32; ++k) {
        const std::uint32_t c = shared.column[k];
        if (c / 32 == lane) word |= 1u << c % 32;
        shared.prefix[k + 1][lane] = word;
    }
    __syncthreads();
}

// The number of the block's values that are too small to recur with x: those with x - value >= epsilon.
__device__ std::uint32_t too_small(const Sorted& sorted, double x, double epsilon) {
    std::uint32_t count = 0;
    for (std::uint32_t step = block_columns; step > 0; step /= 2) {
        const std::uint32_t next = count + step;
        if (next <= block_columns && x - sorted[next - 1] >= epsilon) count = next;
    }
    return count;
}
// The number of values that are not too large: those with value - x < epsilon.
__device__ std::uint32_t not_too_large(const Sorted& sorted, double x, double epsilon) {
    std::uint32_t count = 0;
    for (std::uint32_t step = block_columns; step > 0; step /= 2) {
        const std::uint32_t next = count + step;
        if (next <= block_columns && sorted[next - 1] - x < epsilon) count = next;
    }
    return count;
}

// The counts of a thread, as in DeviceSums.
struct Counted {
    std::uint32_t points = 0, vertical_min = 0, vertical_next = 0, diagonal_min = 0, diagonal_next = 0;
};

__device__ std::uint32_t own_points(const Shared& shared, const Ends& ends) {
    return ends.first < ends.end ? shared.own_below[ends.end] - shared.own_below[ends.first] : 0;
}

// Finds the ends of `count` rows from `first` on and of `after` more, each thread for some of them. Returns the number
// of points of the thread's rows in the block's own columns, without the rows after.
__device__ std::uint32_t find_ends(const Shared& shared, const double* series, std::uint32_t points,
                                   std::uint32_t first, std::uint32_t count, std::uint32_t after, double epsilon,
                                   Ends* ends) {
    std::uint32_t found = 0;
    for (std::uint32_t k = threadIdx.x; k < count + after; k += threads) {
        Ends of_row{0, 0};
        if (first + k < points) {
            const double x = series[first + k];
            of_row = {too_small(shared.sorted, x, epsilon), not_too_large(shared.sorted, x, epsilon)};
            if (k < count) found += own_points(shared, of_row);
        }
        ends[k] = of_row;
    }
    return found;
}

// Adds the vertical stretches that begin in `count` rows, each thread for some of them. The columns in which several
// rows have points are an intersection of ranges, which is a range, too.
__device__ void count_vertical(const Shared& shared, const Ends* ends, std::uint32_t count, std::uint32_t v_min,
                               Counted& counted) {
    for (std::uint32_t k = threadIdx.x; k < count; k += threads) {
        Ends all = ends[k];
        for (std::uint32_t i = 1; i <= v_min; ++i) {
            if (i == v_min) counted.vertical_min += own_points(shared, all);
            if (all.first >= all.end) break;
            all = {max(all.first, ends[k + i].first), min(all.end, ends[k + i].end)};
        }
        counted.vertical_next += own_points(shared, all);
    }
}

}  // namespace
}  // namespace sluice::recurrence::cuda
