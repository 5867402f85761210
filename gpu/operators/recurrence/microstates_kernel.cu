#include "gpu/device/device.hpp"
#include "gpu/operators/recurrence/kernels.cuh"
#include "gpu/operators/recurrence/microstate_window.hpp"

namespace sluice::recurrence::cuda {
namespace {

constexpr std::uint32_t threads = 256, warps = threads / 32;
constexpr std::uint32_t all_lanes = 0xffffffff;

// This lane's row of a window: bit c says whether x[c] recurs with y.
__device__ std::uint32_t window_row(const double* x, double y, double epsilon) {
    std::uint32_t bits = 0;
#pragma unroll
    for (std::uint32_t c = 0; c < 32; c += 2) {
        const double2 two = *reinterpret_cast<const double2*>(x + c);
        if (fabs(y - two.x) < epsilon) bits |= 1u << c;
        if (fabs(y - two.y) < epsilon) bits |= 1u << (c + 1);
    }
    return bits;
}

// Sets bit c of lane r if `shortest` ones begin there on a diagonal that runs down through the lanes' rows.
__device__ std::uint32_t stretches_on_diagonals(std::uint32_t bits, std::uint32_t shortest) {
    const std::uint32_t lane = threadIdx.x % 32;
    for (std::uint32_t length = 1; length < shortest;) {
        const std::uint32_t step = min(length, shortest - length);
        const std::uint32_t below = __shfl_down_sync(all_lanes, bits, step);
        bits &= lane + step < 32 ? below >> step : 0;
        length += step;
    }
    return bits;
}

// The counts of a window, summed over the lanes and kept by the lane of that window.
struct Counts {
    std::uint32_t ones = 0, min_next = 0;  // two numbers of up to 1024 in one word

    __device__ void keep(bool mine, std::uint32_t bits, std::uint32_t stretches, std::uint32_t longer) {
        const std::uint32_t o = __reduce_add_sync(all_lanes, __popc(bits));
        const std::uint32_t m = __reduce_add_sync(all_lanes, __popc(stretches) | __popc(longer) << 16);
        if (mine) {
            ones = o;
            min_next = m;
        }
    }
};

// Lane i keeps the sum over all windows of number i (microstate_numbers), so the sums take one register pair.
__device__ void add_number(unsigned long long& sums, std::uint32_t i, std::uint32_t mine) {
    const std::uint32_t sum = __reduce_add_sync(all_lanes, mine);
    if (threadIdx.x % 32 == i) sums += sum;
}

// Each lane has the counts of one window, at most 1024 each, so sums of 32 products fit into a word.
__device__ void add_direction(unsigned long long& sums, std::uint32_t first, const Counts& counts) {
    const std::uint32_t ones = counts.ones, min = counts.min_next & 0xffff, next = counts.min_next >> 16;
    const std::uint32_t numbers[9] = {ones,        min,       next,       ones * ones, ones * min,
                                      ones * next, min * min, min * next, next * next};
#pragma unroll
    for (std::uint32_t i = 0; i < 9; ++i) add_number(sums, first + i, numbers[i]);
}

// A warp takes 32 windows at a time. First each lane draws the place of one window, then the warp evaluates one window
// after the other, one row per lane, and finally each lane adds the sums of one window. Directions that are not asked
// for cost nothing.
//
// Device memory: 512 bytes per window, from the L2 cache if the series fits. Floor on an H100: subtracting and
// comparing 1024 cells in double precision, 64 lanes per cycle and multiprocessor: 32 cycles per window, 8,000 million
// windows a second. The instruction that sets the bit uses a different pipe; in all, a warp issues about 140 for a
// window, 35 cycles. Measured: 355 µs for 1,638,400 windows of a series of that length, laminarity only; 500 µs with
// determinism (4,610 and 3,270 million a second).
template <bool diagonals, bool pairs>
__global__ void __launch_bounds__(threads) sample(MicrostateWork work, unsigned long long* numbers) {
    __shared__ alignas(16) double columns[warps][2][32];
    __shared__ unsigned long long totals[microstate_numbers];
    const std::uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (threadIdx.x < microstate_numbers) totals[threadIdx.x] = 0;
    __syncthreads();
    const std::uint32_t v_min = pairs ? 2 : work.v_min;
    const std::uint32_t inside = lane < work.size ? all_lanes >> (32 - work.size) : 0;
    const std::uint32_t reach = lane < work.size ? lane : 0;
    const std::uint32_t places = work.points - work.size + 1;
    unsigned long long sums = 0;
    const std::uint64_t stride = std::uint64_t{gridDim.x} * warps * 32;
    for (std::uint64_t first = (std::uint64_t{blockIdx.x} * warps + warp) * 32; first < work.windows; first += stride) {
        const std::uint32_t count = static_cast<std::uint32_t>(min(std::uint64_t{32}, work.windows - first));
        const WindowPlace mine = window_place(work.seed, work.first_window + first + lane, places);
        Counts rows, lines;
        std::uint32_t row = __shfl_sync(all_lanes, mine.row, 0), column = __shfl_sync(all_lanes, mine.column, 0);
        double y = work.series[row + reach], x = work.series[column + reach];
        for (std::uint32_t w = 0; w < count; ++w) {
            double* shared_x = columns[warp][w % 2];
            shared_x[lane] = x;
            __syncwarp();
            const double my_y = y;
            const std::uint32_t my_row = row, my_column = column;
            row = __shfl_sync(all_lanes, mine.row, w + 1);  // of the next window, while this one is evaluated
            column = __shfl_sync(all_lanes, mine.column, w + 1);
            y = work.series[row + reach];
            x = work.series[column + reach];
            const std::uint32_t bits = window_row(shared_x, my_y, work.epsilon) & inside;
            const std::uint32_t stretches = pairs ? bits & bits >> 1 : v_min == 0 ? 0 : stretches_in_row(bits, v_min);
            rows.keep(lane == w, bits, stretches, v_min == 0 ? 0 : stretches & bits >> v_min);
            if (diagonals) {
                const std::uint32_t outside = bits & outside_theiler(my_row + lane, my_column, work.theiler);
                const std::uint32_t begins = stretches_on_diagonals(outside, work.l_min);
                const std::uint32_t below = __shfl_down_sync(all_lanes, begins, 1);
                lines.keep(lane == w, outside, begins, lane < 31 ? begins & below >> 1 : 0);
            }
        }
        add_direction(sums, 0, rows);
        if (diagonals) add_direction(sums, 9, lines);
        const bool laminar = v_min != 0 && rows.ones != 0;
        add_number(sums, 18,
                   laminar ? window_laminarity(rows.ones, rows.min_next & 0xffff, rows.min_next >> 16, v_min) : 0);
        add_number(sums, 19, rows.ones != 0);
    }
    if (lane < microstate_numbers) atomicAdd(&totals[lane], sums);
    __syncthreads();
    if (threadIdx.x < microstate_numbers) atomicAdd(&numbers[threadIdx.x], totals[threadIdx.x]);
}

template <bool diagonals, bool pairs>
void launch(const MicrostateWork& work, unsigned long long* numbers, cudaStream_t stream) {
    int device = 0, processors = 0, blocks = 0;
    sluice::cuda::check(cudaGetDevice(&device), "cudaGetDevice");
    sluice::cuda::check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device),
                        "cudaDeviceGetAttribute");
    sluice::cuda::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, sample<diagonals, pairs>, threads, 0),
                        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    const std::uint64_t needed = (work.windows + threads - 1) / threads;
    const std::uint64_t resident = static_cast<std::uint64_t>(processors) * static_cast<std::uint64_t>(blocks);
    sample<diagonals, pairs>
        <<<static_cast<unsigned>(needed < resident ? needed : resident), threads, 0, stream>>>(work, numbers);
    sluice::cuda::check_launch("sample");
}

}  // namespace

void launch_microstates(const MicrostateWork& work, unsigned long long* numbers, cudaStream_t stream) {
    if (work.windows == 0) return;
    if (work.l_min == 0)
        (work.v_min == 2 ? launch<false, true> : launch<false, false>)(work, numbers, stream);
    else
        (work.v_min == 2 ? launch<true, true> : launch<true, false>)(work, numbers, stream);
}

}  // namespace sluice::recurrence::cuda
