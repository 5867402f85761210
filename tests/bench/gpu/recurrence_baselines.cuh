// Baselines for the recurrence kernels: Froguel's kernel for microstates as his text describes it, and a matrix whose
// cells are subtracted and compared one by one.
#pragma once

#include <cstdint>

namespace sluice::bench {

// One block per window, one thread per row of it, a histogram of line lengths in shared memory. lam[window] is its
// laminarity, in single precision like his.
template <std::uint32_t size>
__global__ void froguel(const float* series, const std::uint32_t* rows, const std::uint32_t* columns, float epsilon,
                        std::uint32_t v_min, float* lam) {
    __shared__ float x[size], y[size];
    __shared__ bool recurs[size * size];
    __shared__ std::uint32_t histogram[size];
    const std::uint32_t i = columns[blockIdx.x], j = rows[blockIdx.x];
    for (std::uint32_t k = threadIdx.x; k < size; k += blockDim.x) {
        x[k] = series[i + k];
        y[k] = series[j + k];
        histogram[k] = 0;
    }
    __syncthreads();
    for (std::uint32_t k = threadIdx.x; k < size * size; k += blockDim.x)
        recurs[k] = fabsf(x[k % size] - y[k / size]) < epsilon;
    __syncthreads();
    if (threadIdx.x < size) {
        std::uint32_t length = 0;
        for (std::uint32_t k = 0; k < size; ++k) {
            if (recurs[k + threadIdx.x * size]) {
                ++length;
                if (k == size - 1) atomicAdd(&histogram[length - 1], 1);
            } else if (length > 0) {
                atomicAdd(&histogram[length - 1], 1);
                length = 0;
            }
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        float in_lines = 0, all = 0;
        for (std::uint32_t k = 0; k < size; ++k) {
            if (k + 1 >= v_min) in_lines += static_cast<float>(histogram[k] * (k + 1));
            all += static_cast<float>(histogram[k] * (k + 1));
        }
        lam[blockIdx.x] = all == 0 ? -1 : in_lines / all;
    }
}

// A thread owns 30 columns in registers, plus two more to continue diagonals, and goes down `rows` rows of them; the
// rows' values come from shared memory. Per cell, two instructions in double precision, and one that sets its bit.
constexpr std::uint32_t compared_columns = 30, compared_rows = 1024;
__global__ void __launch_bounds__(128)
    compare_cells(const double* series, std::uint32_t n, double epsilon, unsigned long long* sums) {
    __shared__ double values[compared_rows + 2];
    const std::uint32_t first = blockIdx.y * compared_rows;
    const double none = __longlong_as_double(0x7ff8000000000000);
    for (std::uint32_t k = threadIdx.x; k < compared_rows + 2; k += blockDim.x)
        values[k] = first + k < n ? series[first + k] : none;
    double x[32];
    const std::uint32_t column = (blockIdx.x * blockDim.x + threadIdx.x) * compared_columns;
#pragma unroll
    for (std::uint32_t c = 0; c < 32; ++c) x[c] = column + c < n ? series[column + c] : none;
    __syncthreads();
    std::uint32_t counted[5] = {}, row = 0, next = 0;
    for (std::uint32_t k = 0; k < compared_rows + 2; ++k) {
        std::uint32_t bits = 0;
#pragma unroll
        for (std::uint32_t c = 0; c < 32; ++c) {
            if (fabs(values[k] - x[c]) < epsilon) bits |= 1u << c;
        }
        if (k >= 2) {
            const std::uint32_t own = row & ((1u << compared_columns) - 1);
            counted[0] += __popc(own);
            counted[1] += __popc(own & next);
            counted[2] += __popc(own & next & bits);
            counted[3] += __popc(own & next >> 1);
            counted[4] += __popc(own & next >> 1 & bits >> 2);
        }
        row = next;
        next = bits;
    }
    for (std::uint32_t i = 0; i < 5; ++i) {
        const std::uint32_t sum = __reduce_add_sync(0xffffffff, counted[i]);
        if (threadIdx.x % 32 == 0) atomicAdd(&sums[i], sum);
    }
}

}  // namespace sluice::bench
