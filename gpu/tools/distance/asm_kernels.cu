#include <algorithm>
#include <vector>

#include "gpu/tools/distance/asm_kernels.hpp"
#include "gpu/tools/distance/asm_row.cuh"
#include "gpu/tools/distance/w_shuffle.cuh"

namespace sluice::edits {

namespace {

// O-ASM keeps Y in shared memory if it is at most this large.
constexpr std::size_t shared_text_max = 180 * 1024;

// Returns threadIdx.x in a separate register. Otherwise ptxas 13.0.88 computes addresses from a loop variable that
// started at threadIdx.x, because both come from the same register (o_asm<char32_t, false>).
__device__ int own_thread() {
    int index;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(index));
    return index;
}

// One block per task, one thread per row i = 1 … m; diagonal by diagonal. Cell (i, j) is kept in e[j mod 3][i], whose
// rows are a multiple of 32 words long, so no two threads of a warp access the same bank. A thread's step: 3 reads and
// one write of shared memory, and a barrier.
template <class Symbol, bool unit>
__global__ void __launch_bounds__(asm_pattern_max) o_asm(const AsmTask* tasks, const Symbol* xs, const Symbol* ys,
                                                         Weights weights, std::uint32_t* results, bool text_in_shared) {
    __shared__ int e[3][asm_pattern_max + warp_size];
    extern __shared__ uint4 dynamic[];  // the costs, then the text
    std::uint8_t* const table = reinterpret_cast<std::uint8_t*>(dynamic);
    const AsmTask task = tasks[blockIdx.x];
    load_costs<unit>(weights, table);
    const Row<Symbol, unit> row(xs, task, weights, table, threadIdx.x);
    const int m = static_cast<int>(task.m), n = static_cast<int>(task.n);
    const Symbol* y = ys + task.y;
    if (text_in_shared) {
        Symbol* copy = reinterpret_cast<Symbol*>(table + (unit ? 0 : kinds * ascii));
        for (int j = static_cast<int>(threadIdx.x); j < n; j += static_cast<int>(blockDim.x)) copy[j] = y[j];
        y = copy;
    }
    const int i = own_thread() + 1;
    e[0][i] = i * row.deletion;
    if (i == 1) e[0][0] = e[1][0] = e[2][0] = 0;
    int least = m * row.deletion;
    __syncthreads();
    int now = 0, before = 2;  // j mod 3 and (j - 1) mod 3, once j > 0
    for (int k = 1; k < n + m; ++k) {
        const int j = k - i + 1;
        if (j >= 1 && j <= n) {
            before = now;
            now = now == 2 ? 0 : now + 1;
            const int c = row.cell(e[before][i], e[now][i - 1], e[before][i - 1], row.substitute(y[j - 1]));
            e[now][i] = c;
            least = min(least, c);
        }
        __syncthreads();
    }
    if (i == m) atomicMin(&results[task.result], static_cast<std::uint32_t>(least));
}

// One block per task, one warp per strip of 32 rows. A: left, B: up, C: diagonal. In step k, thread t computes column k
// - t. A strip writes the word for the next strip in the step before it is read. Each strip has two such words, used in
// turn, to keep that step's read and the next write apart.
template <class Symbol, bool unit>
__global__ void __launch_bounds__(asm_pattern_max)
    w_scan(const AsmTask* tasks, const Symbol* xs, const Symbol* ys, Weights weights, std::uint32_t* results) {
    __shared__ int f[2][asm_pattern_max / warp_size + 1];
    __shared__ std::uint8_t table[unit ? 1 : kinds * ascii];
    const AsmTask task = tasks[blockIdx.x];
    load_costs<unit>(weights, table);
    const Row<Symbol, unit> row(xs, task, weights, table, threadIdx.x);
    const int id = static_cast<int>(threadIdx.x), warp = id / warp_size, lane = id % warp_size;
    const int m = static_cast<int>(task.m), n = static_cast<int>(task.n);
    const Symbol* y = ys + task.y;
    int a = (id + 1) * row.deletion, b = id * row.deletion;
    if (lane == 0) f[0][warp] = f[1][warp] = b;
    int least = m * row.deletion;
    __syncthreads();
    for (int k = 1; k < n + m; ++k) {
        const int j = k - id;
        const int up = __shfl_up_sync(all_lanes, a, 1);
        if (j >= 1 && j <= n) {
            const int c = b;
            b = lane == 0 ? f[k & 1][warp] : up;
            a = row.cell(a, b, c, row.substitute(y[j - 1]));
            if (lane == warp_size - 1) f[(k + 1) & 1][warp + 1] = a;
            least = min(least, a);
        }
        __syncthreads();
    }
    if (id == m - 1) atomicMin(&results[task.result], static_cast<std::uint32_t>(least));
}

template <class Symbol, bool unit>
void launch(AsmAlgorithm algorithm, std::span<const AsmTask> tasks, std::uint32_t m_max, std::uint32_t n_max,
            const Symbol* xs, const Symbol* ys, Weights weights, std::uint32_t* results, cudaStream_t stream) {
    const auto blocks = static_cast<unsigned>(tasks.size());
    const unsigned threads = (m_max + warp_size - 1) / warp_size * warp_size;
    if (algorithm == AsmAlgorithm::w_scan) {
        w_scan<Symbol, unit><<<blocks, threads, 0, stream>>>(tasks.data(), xs, ys, weights, results);
    } else if (algorithm == AsmAlgorithm::w_shuffle) {
        if (m_max > warp_size * rows_of_lane)
            launch_w_shuffle<Symbol, unit, rows_of_lane>(tasks, m_max, xs, ys, weights, results, stream);
        else
            launch_w_shuffle<Symbol, unit, 1>(tasks, m_max, xs, ys, weights, results, stream);
    } else {
        const std::size_t text_bytes = n_max * sizeof(Symbol), costs_bytes = unit ? 0 : kinds * ascii;
        const bool fits = text_bytes <= shared_text_max;
        cuda::check(cudaFuncSetAttribute(o_asm<Symbol, unit>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         static_cast<int>(shared_text_max + costs_bytes)),
                    "shared memory of o_asm");
        o_asm<Symbol, unit><<<blocks, threads, costs_bytes + (fits ? text_bytes : 0), stream>>>(tasks.data(), xs, ys,
                                                                                                weights, results, fits);
    }
    cuda::check_launch("approximate matching");
}

}  // namespace

DeviceCosts::DeviceCosts(const Costs& costs) : unit_(costs.unit()) {
    deletion_ = static_cast<int>(costs.deletion());
    insertion_ = static_cast<int>(costs.insertion());
    std::vector<std::uint8_t> host(kinds * ascii + ascii);
    for (unsigned kind = 0; kind < kinds; ++kind) {
        for (unsigned y = 0; y < ascii; ++y)
            host[kind * ascii + y] = static_cast<std::uint8_t>(costs.substitution_of_kinds(kind, costs.kind(y)));
    }
    for (unsigned c = 0; c < ascii; ++c) host[kinds * ascii + c] = static_cast<std::uint8_t>(costs.kind(c));
    substitution_ = cuda::to_device(std::span<const std::uint8_t>(host));
}

template <class Symbol>
void enqueue_asm(AsmAlgorithm algorithm, std::span<const AsmTask> device_tasks, std::uint32_t m_max,
                 std::uint32_t n_max, const Symbol* xs, const Symbol* ys, const DeviceCosts& costs,
                 std::uint32_t* results, cudaStream_t stream) {
    if (device_tasks.empty()) return;
    const Weights weights{costs.deletion(), costs.insertion(), costs.substitution()};
    if (costs.unit())
        launch<Symbol, true>(algorithm, device_tasks, m_max, n_max, xs, ys, weights, results, stream);
    else
        launch<Symbol, false>(algorithm, device_tasks, m_max, n_max, xs, ys, weights, results, stream);
}

template void enqueue_asm(AsmAlgorithm, std::span<const AsmTask>, std::uint32_t, std::uint32_t, const std::uint8_t*,
                          const std::uint8_t*, const DeviceCosts&, std::uint32_t*, cudaStream_t);
template void enqueue_asm(AsmAlgorithm, std::span<const AsmTask>, std::uint32_t, std::uint32_t, const char32_t*,
                          const char32_t*, const DeviceCosts&, std::uint32_t*, cudaStream_t);

}  // namespace sluice::edits
