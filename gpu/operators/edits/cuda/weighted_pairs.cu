#include <algorithm>

#include "gpu/device/device.hpp"
#include "gpu/operators/edits/cuda/weighted_pairs.hpp"

namespace sluice::edits {

namespace {

constexpr std::uint32_t block_threads = 256;
// As many as leave a thread the registers that it needs.
constexpr std::uint32_t blocks_of_multiprocessor(std::uint32_t rows) { return rows > 16 ? 2 : 3; }
constexpr std::size_t table_bytes = std::size_t{weighted_symbols} * weighted_symbols;

// A thread walks along its text with `rows` rows of the matrix in registers, top to bottom, as often as its pattern
// needs; between two passes the lowest row is kept in `boundary`, where the threads of a warp lie side by side. The
// costs are in shared memory. A cell costs five operations, and a look-up at an address that differs from lane to lane:
// about 3.4 of 32 lanes share a bank, so a multiprocessor looks up some 9 cells in a cycle. That is the floor, 2.1 *
// 10^12 cells a second on an H100 at 1.75 GHz. Traffic: a byte of text for `rows` cells, and 8 bytes more if there are
// several passes.
template <int rows, bool whole>
__global__ void __launch_bounds__(block_threads, blocks_of_multiprocessor(rows))
    weighted_pairs(WeightedInput input, WeightedCosts costs, std::uint32_t* results) {
    extern __shared__ uint4 shared[];
    for (std::uint32_t i = threadIdx.x; i < table_bytes / sizeof(uint4); i += block_threads)
        shared[i] = reinterpret_cast<const uint4*>(costs.substitution)[i];
    __syncthreads();
    const auto* const table = reinterpret_cast<const std::uint8_t*>(shared);
    const std::uint32_t thread = blockIdx.x * block_threads + threadIdx.x, threads = gridDim.x * block_threads;
    const int deletion = costs.deletion, insertion = costs.insertion;
    for (std::uint32_t t = thread; t < input.count; t += threads) {
        const WeightedTask task = input.tasks[t];
        const WeightedPattern pattern = input.patterns[task.pattern];
        const auto padding = static_cast<int>(pattern.padding);
        const auto* const text = reinterpret_cast<const std::uint32_t*>(input.texts + task.text);
        int least = (static_cast<int>(pattern.padded) - padding) * deletion;
        for (std::uint32_t first = 0; first < pattern.padded; first += rows) {
            // Row r of this pass is row above + 1 + r of the matrix; those that padding puts above row 0 are like it.
            const int above = static_cast<int>(first) - padding;
            const bool is_last = first + rows == pattern.padded;
            int column[rows];
            std::uint32_t xs[rows / 4];
#pragma unroll
            for (int r = 0; r < rows; ++r) column[r] = max(above + 1 + r, 0) * deletion;
#pragma unroll
            for (int i = 0; i < rows / 4; ++i)
                xs[i] = reinterpret_cast<const std::uint32_t*>(input.pattern_symbols + pattern.begin + first)[i];
            int top_before = max(above, 0) * deletion;
            std::uint32_t symbols = 0;
            for (std::uint32_t j = 0; j < task.length; ++j) {
                symbols = j % 4 == 0 ? text[j / 4] : symbols >> 8;
                const std::uint32_t y = symbols & 0xff;
                std::uint32_t* const boundary = input.boundary + std::size_t{j} * threads + thread;
                const int top = first != 0 ? static_cast<int>(*boundary)
                                : whole    ? static_cast<int>(j + 1) * insertion
                                           : 0;
                int diagonal = top_before, up = top;
                top_before = top;
#pragma unroll
                for (int r = 0; r < rows; ++r) {
                    // The bytes y, x, 0, 0.
                    const std::uint32_t at = __byte_perm(xs[r / 4], y, 0x5504 | r % 4 << 4);
                    const int left = column[r];
                    up = min(min(up + deletion, left + insertion), diagonal + table[at]);
                    diagonal = left;
                    column[r] = up;
                }
                if (!is_last)
                    *boundary = static_cast<std::uint32_t>(up);
                else if (!whole)
                    least = min(least, up);
            }
            if (whole && is_last) least = column[rows - 1];
        }
        atomicMin(&results[task.result], static_cast<std::uint32_t>(least));
    }
}

template <int rows>
void launch(const WeightedInput& input, Extent extent, const WeightedCosts& costs, std::uint32_t threads,
            std::uint32_t* results, cudaStream_t stream) {
    const auto kernel = extent == Extent::whole ? weighted_pairs<rows, true> : weighted_pairs<rows, false>;
    cuda::check(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(table_bytes)),
        "shared memory of weighted_pairs");
    kernel<<<threads / block_threads, block_threads, table_bytes, stream>>>(input, costs, results);
    cuda::check_launch("weighted_pairs");
}

}  // namespace

std::uint32_t weighted_threads(std::uint32_t rows, std::uint32_t count, int multiprocessors) {
    const std::uint32_t needed = (count + block_threads - 1) / block_threads;
    const std::uint32_t at_once = blocks_of_multiprocessor(rows) * static_cast<std::uint32_t>(multiprocessors);
    return block_threads * std::min(needed, at_once);
}

void enqueue_weighted(std::uint32_t rows, const WeightedInput& input, Extent extent, const WeightedCosts& costs,
                      std::uint32_t threads, std::uint32_t* results, cudaStream_t stream) {
    if (input.count == 0) return;
    switch (rows) {
        case 8:
            return launch<8>(input, extent, costs, threads, results, stream);
        case 16:
            return launch<16>(input, extent, costs, threads, results, stream);
        default:
            return launch<weighted_rows_max>(input, extent, costs, threads, results, stream);
    }
}

}  // namespace sluice::edits
