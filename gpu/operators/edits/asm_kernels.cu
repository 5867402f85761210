#include <algorithm>
#include <vector>

#include "gpu/operators/edits/asm_kernels.hpp"

namespace sluice::edits {

namespace {

constexpr int warp_size = 32;
constexpr unsigned all_lanes = ~0u;
constexpr int kinds = Costs::kinds_max, ascii = 128;
// Of w-Shuffle, for patterns of more than a strip of such lanes.
constexpr int rows_of_lane(bool unit) { return unit ? 8 : 4; }
// O-ASM keeps Y in shared memory if it is at most this large.
constexpr std::size_t shared_text_max = 180 * 1024;

struct Weights {
    int deletion, insertion;
    const std::uint8_t* substitution;  // of DeviceCosts
};

// The costs for a thread's row of the matrix.
template <class Symbol, bool unit>
struct Row {
    Symbol x;
    int deletion, insertion;
    const std::uint8_t* substitution;

    Row() = default;
    // Row `index` of the pattern, from 0 on. The costs must be in the shared table before a cell is computed.
    __device__ Row(const Symbol* xs, const AsmTask& task, Weights weights, const std::uint8_t* shared_table,
                   std::uint32_t index) {
        x = index < task.m ? xs[task.x + index] : Symbol{0};
        deletion = unit ? 1 : weights.deletion;
        insertion = unit ? 1 : weights.insertion;
        // The kind of x: the kinds of ASCII characters follow the costs in weights.substitution.
        if constexpr (!unit)
            substitution = shared_table + ascii * (x < ascii ? weights.substitution[kinds * ascii + x] : 0);
    }
    __device__ int substitute(Symbol y) const {
        if constexpr (unit) return x != y ? 1 : 0;
        return x == y ? 0 : substitution[y < ascii ? y : 0];
    }
    __device__ int cell(int left, int up, int diagonal, int substitution_cost) const {
        if constexpr (unit) return min(min(left, up) + 1, diagonal + substitution_cost);
        return min(min(left + insertion, up + deletion), diagonal + substitution_cost);
    }
};

// Copies the costs to shared memory; followed by a barrier.
template <bool unit>
__device__ void load_costs(Weights weights, std::uint8_t* shared_table) {
    if constexpr (!unit) {
        for (unsigned i = threadIdx.x; i < kinds * ascii; i += blockDim.x) shared_table[i] = weights.substitution[i];
    }
}

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
constexpr int blocks_of_multiprocessor(bool unit, int rows) { return rows == 1 ? (unit ? 2 : 1) : (unit ? 8 : 1); }

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

template <class Symbol, bool unit>
void launch(AsmAlgorithm algorithm, std::span<const AsmTask> tasks, std::uint32_t m_max, std::uint32_t n_max,
            const Symbol* xs, const Symbol* ys, Weights weights, std::uint32_t* results, cudaStream_t stream) {
    const auto blocks = static_cast<unsigned>(tasks.size());
    const unsigned threads = (m_max + warp_size - 1) / warp_size * warp_size;
    if (algorithm == AsmAlgorithm::w_scan) {
        w_scan<Symbol, unit><<<blocks, threads, 0, stream>>>(tasks.data(), xs, ys, weights, results);
    } else if (algorithm == AsmAlgorithm::w_shuffle) {
        constexpr int rows = rows_of_lane(unit);
        if (m_max > warp_size * rows)
            launch_w_shuffle<Symbol, unit, rows>(tasks, m_max, xs, ys, weights, results, stream);
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
