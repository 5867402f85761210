#include "gpu/device/device.hpp"
#include "gpu/operators/recurrence/exact_diagonals.cuh"
#include "gpu/operators/recurrence/kernels.cuh"

namespace sluice::recurrence::cuda {
namespace {

// Adds the counts of all threads to `sums`.
__device__ void add_to(DeviceSums& sums, const Counted& counted, Shared& shared) {
    const std::uint32_t mine[5] = {counted.points, counted.vertical_min, counted.vertical_next, counted.diagonal_min,
                                   counted.diagonal_next};
#pragma unroll
    for (std::uint32_t i = 0; i < 5; ++i) {
        unsigned long long sum = mine[i];
        for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
        if (threadIdx.x % 32 == 0) shared.counted[i][threadIdx.x / 32] = sum;
    }
    __syncthreads();
    if (threadIdx.x < 5) {
        unsigned long long sum = 0;
        for (std::uint32_t w = 0; w < warps; ++w) sum += shared.counted[threadIdx.x][w];
        atomicAdd(&reinterpret_cast<unsigned long long*>(&sums)[threadIdx.x], sum);
    }
}

// A block of 1024 threads has 1024 columns. It sorts their values, writes their 1025 prefix sets to shared memory (128
// KiB; not if it has no diagonals to count), and answers its questions with them. For each question, it takes
// rows_together rows at a time. A thread finds by two binary searches which of the sorted values recur with its row.
// These ranges give the points and the vertical stretches. Meanwhile, the other half of the warps builds the bits of
// the previous rows, to count diagonals: a warp builds rows_together / 32 rows, a lane 32 columns, by XOR of two sets.
// One shuffle fetches neighbouring columns.
//
// Device memory: the series, once for each block of columns and part of its rows. Floor on an H100 for diagonals of 2:
// about 13 integer operations for 32 cells, 64 lanes per cycle and multiprocessor: 150 cells, 40 Tcell/s. For longer
// ones, up to 30 operations, in up to three times as many rows. For comparison, subtracting and comparing each cell in
// double precision: 32 cells per cycle. Measured while vertical lines were still counted in bit rows, too: 691 µs for
// the 102,400² cells of one threshold (15 Tcell/s; 1,809 µs if compared one by one), 2.3 ms for 32 series of 1,000 with
// 1,000 thresholds each.
__global__ void __launch_bounds__(threads, 1)
    exact_lines(const double* values, const ExactWork* works, const DeviceQuestion* questions, DeviceSums* sums,
                std::uint32_t rows_together) {
    extern __shared__ unsigned char memory[];
    Shared& shared = *reinterpret_cast<Shared*>(memory);
    const ExactWork work = works[blockIdx.x];
    const double* series = values + work.series;
    sort_block(series, work, shared);
    count_own_columns(work.own_columns, shared);
    if (work.own_columns < block_columns) build_prefixes(shared);
    const std::uint32_t warp_rows = rows_together / warps;
    for (std::uint32_t q = 0; q < work.questions; ++q) {
        const DeviceQuestion question = questions[work.first_question + q];
        const std::uint32_t after = max(2u, max(question.v_min, question.l_min));
        Counted counted;
        const auto find = [&](std::uint32_t row) {
            counted.points += find_ends(shared, series, work.points, work.first_row + row, rows_together, after,
                                        question.epsilon, shared.ends[row / rows_together % 2]);
        };
        const auto count = [&](std::uint32_t row) {
            const Ends* ends = shared.ends[row / rows_together % 2];
            if (question.v_min != 0) count_vertical(shared, ends, rows_together, question.v_min, counted);
            if (question.l_min != 0)
                count_diagonal(shared, ends + threadIdx.x / 32 * warp_rows, warp_rows, work.own_columns, question.l_min,
                               counted);
        };
        find(0);
        __syncthreads();
        for (std::uint32_t row = 0; row < work.rows; row += rows_together) {
            const bool more = row + rows_together < work.rows, counts_first = threadIdx.x / 128 % 2 == 0;
            if (more && !counts_first) find(row + rows_together);
            count(row);
            if (more && counts_first) find(row + rows_together);
            __syncthreads();
        }
        add_to(sums[work.first_question + q], counted, shared);
    }
}

}  // namespace

void launch_exact(const double* values, const ExactWork* work, std::uint32_t works, const DeviceQuestion* questions,
                  DeviceSums* sums, std::uint32_t rows_together, cudaStream_t stream) {
    sluice::cuda::check(cudaFuncSetAttribute(exact_lines, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared)),
                        "shared memory of exact_lines");
    if (works == 0) return;
    exact_lines<<<works, threads, sizeof(Shared), stream>>>(values, work, questions, sums, rows_together);
    sluice::cuda::check_launch("exact_lines");
}

}  // namespace sluice::recurrence::cuda
