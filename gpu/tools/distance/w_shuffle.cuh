// The kernel w-Shuffle (Nunes 2018, figure 4.2), included by asm_kernels.cu.
#pragma once

#include <cstdint>
#include <span>

#include "gpu/device/device.hpp"
#include "gpu/tools/distance/asm_row.cuh"

namespace sluice::edits {

namespace {

// Of w-Shuffle, for patterns of more than a strip of such lanes.
constexpr int rows_of_lane = 4;

// Like w-SCAN, but strip s runs 63 steps behind strip s - 1 and takes 32 of its values at a time. regWrite of the one
// and regRead of the other shift by a lane per step and go through f every 32 steps. Both are halves of one register
// (distances are at most shuffle_distance_max), so one shuffle shifts them. f is two arrays, used in turn, because a
// strip may finish its 32 steps before the next strip has begun to read.
//
// Unlike in the thesis, a lane may have `rows` rows, one below the other, and a strip 32 * rows: then shuffles and the
// load of y are shared by as many cells. With weights and ASCII, a lane's four costs for each y are then one word of a
// profile in shared memory, in which each lane has its own bank.
//
// Cost of a warp's step: two shuffles, a load of y, three operations, and three (unit costs) or four for each row, plus
// 1/32 of two accesses to f and of a barrier. Steps in which all lanes are inside the matrix have no conditions.
template <class Symbol, bool unit, int rows>
class Strip {
public:
    static constexpr bool has_profile = !unit && rows == 4 && sizeof(Symbol) == 1;
    static constexpr std::size_t profile_words = has_profile ? ascii * warp_size : 0;  // of a strip

    // `profiles`: of all strips.
    __device__ Strip(const Symbol* xs, const AsmTask& task, Weights weights, const std::uint8_t* table,
                     std::uint32_t* profiles)
        : lane_(static_cast<int>(threadIdx.x) % warp_size), last_row_(static_cast<int>(task.m - 1) % rows) {
        for (int r = 0; r < rows; ++r) row_[r] = {xs, task, weights, table, threadIdx.x * rows + r};
        if constexpr (has_profile) {
            profile_ = profiles + threadIdx.x / warp_size * profile_words + lane_;
            for (unsigned y = 0; y < ascii; ++y) {
                std::uint32_t costs = 0;
                for (int r = 0; r < rows; ++r)
                    costs |= static_cast<std::uint32_t>(row_[r].substitute(static_cast<Symbol>(y))) << 8 * r;
                profile_[y * warp_size] = costs;
            }
        }
        b_ = above_ = static_cast<int>(threadIdx.x) * rows * row_[0].deletion;
        for (int r = 0; r < rows; ++r) a_[r] = above_ + (r + 1) * row_[0].deletion;
        take_ = lane_ == 0 ? 0x3254 : 0x3210;
        give_ = lane_ == warp_size - 1 ? 0x5410 : 0x3210;
    }
    // `first`: the column of lane 0 in the first of the 32 steps. Returns regWrite. `last`: whether this strip may have
    // the last row, whose least value is wanted.
    template <bool inside, bool last>
    __device__ int steps(int first, int n, const Symbol* y, int read, int& least) {
        unsigned read_write = static_cast<unsigned>(read);
        const int column = first - lane_;
#pragma unroll
        for (int q = 0; q < warp_size; ++q) {
            const int j = column + q;
            const bool active = inside || (j >= 1 && j <= n);
            const Symbol symbol = active ? y[j - 1] : Symbol{0};
            int diagonal = b_;
            const int up = __shfl_up_sync(all_lanes, a_[rows - 1], 1);
            b_ = static_cast<int>(__byte_perm(static_cast<unsigned>(up), read_write, take_));
            if (!inside && lane_ == 0 && j < 1) b_ = above_;
            int above = b_;
            std::uint32_t costs = 0;
            if constexpr (has_profile) costs = profile_[symbol * warp_size];
#pragma unroll
            for (int r = 0; r < rows; ++r) {
                const int left = a_[r];
                const int cost = has_profile ? static_cast<int>(costs >> 8 * r & 0xff) : row_[r].substitute(symbol);
                const int cell = row_[r].cell(left, above, diagonal, cost);
                if (active) a_[r] = cell;
                diagonal = left;
                above = cell;
                if (last && active && (rows == 1 || r == last_row_)) least = min(least, cell);
            }
            read_write = __shfl_down_sync(all_lanes, read_write, 1);
            read_write = __byte_perm(read_write, static_cast<unsigned>(a_[rows - 1]), give_);
        }
        return static_cast<int>(read_write >> 16);
    }
    __device__ int deletion() const { return row_[0].deletion; }

private:
    Row<Symbol, unit> row_[rows];
    std::uint32_t* profile_ = nullptr;
    int lane_, last_row_, above_, a_[rows], b_;
    unsigned take_, give_;
};

// As many as leave a thread the registers that it needs.
constexpr int blocks_of_multiprocessor(bool unit, int rows) { return rows == 1 ? (unit ? 2 : 1) : (unit ? 5 : 1); }

template <class Symbol, bool unit, int rows>
__global__ void __launch_bounds__(asm_pattern_max / rows, blocks_of_multiprocessor(unit, rows))
    w_shuffle(const AsmTask* tasks, const Symbol* xs, const Symbol* ys, Weights weights, std::uint32_t* results) {
    __shared__ int f[2][asm_pattern_max / rows + warp_size];
    __shared__ std::uint8_t table[unit ? 1 : kinds * ascii];
    const AsmTask task = tasks[blockIdx.x];
    load_costs<unit>(weights, table);
    const int id = static_cast<int>(threadIdx.x), warp = id / warp_size;
    const int m = static_cast<int>(task.m), n = static_cast<int>(task.n);
    const Symbol* y = ys + task.y;
    const int last_warp = (m - 1) / (warp_size * rows), lag = 2 * warp_size - 1;
    f[0][id] = f[1][id] = 0;
    extern __shared__ uint4 dynamic[];
    __syncthreads();
    Strip<Symbol, unit, rows> strip(xs, task, weights, table, reinterpret_cast<std::uint32_t*>(dynamic));
    int least = m * strip.deletion();
    int turn = 0;
    for (int k = 1; k <= n + lag * last_warp + warp_size - 1; k += warp_size, turn ^= 1) {
        __syncthreads();
        const int first = k - lag * warp;
        if (warp > last_warp || first + warp_size <= 1 || first - warp_size >= n) continue;
        const int read = f[turn][id];
        const bool inside = first >= warp_size && first + warp_size - 1 <= n;
        int write;
        if (!inside)
            write = strip.template steps<false, true>(first, n, y, read, least);
        else if (warp == last_warp)
            write = strip.template steps<true, true>(first, n, y, read, least);
        else
            write = strip.template steps<true, false>(first, n, y, read, least);
        if (warp < last_warp) f[turn ^ 1][id + warp_size] = write;
    }
    if (id == (m - 1) / rows) atomicMin(&results[task.result], static_cast<std::uint32_t>(least));
}

template <class Symbol, bool unit, int rows>
void launch_w_shuffle(std::span<const AsmTask> tasks, std::uint32_t m_max, const Symbol* xs, const Symbol* ys,
                      Weights weights, std::uint32_t* results, cudaStream_t stream) {
    constexpr std::uint32_t strip_rows = warp_size * rows;
    const std::uint32_t strips = (m_max + strip_rows - 1) / strip_rows;
    constexpr std::size_t profile_bytes = Strip<Symbol, unit, rows>::profile_words * sizeof(std::uint32_t);
    const auto kernel = w_shuffle<Symbol, unit, rows>;
    if (profile_bytes > 0)
        cuda::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         static_cast<int>(asm_pattern_max / strip_rows * profile_bytes)),
                    "shared memory of w_shuffle");
    kernel<<<static_cast<unsigned>(tasks.size()), strips * warp_size, strips * profile_bytes, stream>>>(
        tasks.data(), xs, ys, weights, results);
}

}  // namespace

}  // namespace sluice::edits
