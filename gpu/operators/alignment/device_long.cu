// A warp takes a strip of 32 * C columns and walks down it; lane l keeps C columns (H and F) in registers and does
// tiles of 4 rows, one tile a step, l steps behind lane 0 (the delegation of cells: all lanes are busy all the time).
// The right edge of its rows goes to the next lane by shuffle; that of lane 31 goes to the next strip over the bus, one
// element a row in device memory, in place: strip s reads row r of the bus and overwrites it some steps later. An
// element holds H, the difference of H and E, and the number of the strip it is for, so that a reader sees by itself
// when it has arrived: 8 bytes are written and read at once, and neither fences nor a barrier of the grid are needed.
// Strips are handed out in order, so a strip never waits for one that nobody works on.
//
// Pruning, every `chunk` rows: what enters the rest of the strip is what stands in its last row and what comes from the
// left. If the largest of that plus a match for every row and column that is left is not above the best score so far
// (of all strips), the rows are skipped and zeros published. Zeros are true as lower bounds, and no path through a
// skipped cell can become better than the best, so score and end point stay right.
//
// One cell of a throughput kernel is 3.5 ALU instructions and two on the multiply-add pipe: d (IMAD), H = max(d, E, F,
// 0) (VIMNMX3), t = H - first (IMAD), E and F (VIADDMNMX each), half a VIMNMX3 for the best. Floor on an H100: 64 ALU
// lanes a clock on 132 multiprocessors at 1.755 GHz: 4.2 TCUPS; shuffles, letters and the bus make that 3. The kernel
// for latency spends two more so that the way from E to F and back is two instructions instead of three. Memory: 8
// bytes a row, 1 a letter and 32 a strip; bytes moved: 16 a row and strip, 0.06 a cell.
#include <algorithm>
#include <vector>

#include "gpu/operators/alignment/device_long.hpp"

namespace sluice::alignment {

namespace {

constexpr unsigned tile_rows = 4;
constexpr std::int32_t null_score = -1024;  // of padding
constexpr int matrix_rows = 25;             // letters, and one for padding
constexpr unsigned drain_steps = 31;

enum Counter : unsigned { ticket, best, counter_count };

struct BusElement {
    std::int32_t h;
    std::uint32_t rest;  // H - E of the next column, and in the upper half the strip that it is for
};

}  // namespace

struct LongArguments {
    const Code *query, *text;    // padded to whole chunks and strips with the code `letters`
    const std::int32_t* matrix;  // [letter][matrix_rows], of letters + 1
    ulonglong2* bus;             // two rows an element
    const ulonglong2* ingress;   // the bus to the left of the first strip, if another device writes it
    ulonglong2* egress;          // the bus to the right of the last strip, if another device reads it
    DeviceLong::StripResult* results;
    unsigned* counters;
    volatile unsigned* progress;
    std::uint32_t m, n, rows, strips, letters;
    int gap_first, gap_further, highest;
    std::int32_t stop_at;
    bool prune;
    std::uint32_t one;  // 1, which the compiler must not know
};

namespace {

__device__ int multiply_add(int a, std::uint32_t b, int c) {
    int d;
    asm("mad.lo.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
}

__device__ BusElement read_bus(const ulonglong2* bus, std::size_t row) {
    unsigned long long value;
    asm volatile("ld.volatile.global.u64 %0, [%1];"
                 : "=l"(value)
                 : "l"(reinterpret_cast<const unsigned long long*>(bus) + row)
                 : "memory");
    return {static_cast<std::int32_t>(value), static_cast<std::uint32_t>(value >> 32)};
}

__device__ unsigned long long packed(int h, int e, int gap_first, std::uint32_t strip) {
    const auto difference = static_cast<std::uint32_t>(min(h - e, gap_first));
    return static_cast<std::uint32_t>(h) | static_cast<unsigned long long>(difference | strip << 16) << 32;
}

__device__ void write_bus(ulonglong2* bus, std::size_t pair, unsigned long long a, unsigned long long b) {
    asm volatile("st.volatile.global.v2.u64 [%0], {%1, %2};" ::"l"(bus + pair), "l"(a), "l"(b) : "memory");
}

// A value that the compiler keeps in a register instead of computing it again from parameters in every step.
template <class T>
__device__ T kept(T value) {
    if constexpr (sizeof(T) == 8) {
        asm volatile("" : "+l"(value));
    } else {
        asm volatile("" : "+r"(value));
    }
    return value;
}

__device__ int4 read_shared(unsigned address) {
    int4 value;
    asm volatile("ld.shared.v4.s32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                 : "r"(address));
    return value;
}

__device__ int read_volatile(const unsigned* p) {
    return static_cast<int>(*reinterpret_cast<const volatile unsigned*>(p));
}

// A lane's columns of a strip, and the steps down it.
template <bool local, bool quick, unsigned C>
struct Lane {
    int h[C], f[C];
    int left_h[tile_rows], left_e[tile_rows];    // of the lane's next tile
    int right_h[tile_rows], right_e[tile_rows];  // of its last
    int corner;                                  // H above left_h[0]
    EndPoint best;

    // The tile below the last one. `scores` is the shared address of the lane's scores: [letter][C / 4][32 lanes] of 4.
    __device__ void tile(const LongArguments& a, unsigned scores, std::uint32_t four_letters, std::uint32_t block,
                         std::uint32_t first_column) {
        int cells[tile_rows][C];
        int tile_best = 0;
        int diagonal_left = corner;
#pragma unroll
        for (unsigned r = 0; r < tile_rows; ++r) {
            const unsigned row = scores + (four_letters >> (8 * r) & 0xff) * (C / 4 * 32 * sizeof(int4));
            int s[C];
#pragma unroll
            for (unsigned quad = 0; quad < C / 4; ++quad) {
                const int4 q = read_shared(row + quad * 32 * sizeof(int4));
                s[quad * 4] = q.x, s[quad * 4 + 1] = q.y, s[quad * 4 + 2] = q.z, s[quad * 4 + 3] = q.w;
            }
            int diagonal = diagonal_left, e = left_e[r];
            diagonal_left = left_h[r];
#pragma unroll
            for (unsigned c = 0; c < C; ++c) {
                const int d = multiply_add(diagonal, a.one, s[c]);
                diagonal = h[c];
                const int cell = local ? __vimax3_s32_relu(d, e, f[c]) : __vimax3_s32(d, e, f[c]);
                if (quick) {
                    const int opened = multiply_add(d, a.one, -a.gap_first);
                    const int from_f = __viaddmax_s32(f[c], -a.gap_first, opened);
                    const int from_e = __viaddmax_s32(e, -a.gap_first, opened);
                    e = __viaddmax_s32(e, -a.gap_further, from_f);
                    f[c] = __viaddmax_s32(f[c], -a.gap_further, from_e);
                } else {
                    const int opened = multiply_add(cell, a.one, -a.gap_first);
                    e = __viaddmax_s32(e, -a.gap_further, opened);
                    f[c] = __viaddmax_s32(f[c], -a.gap_further, opened);
                }
                h[c] = cells[r][c] = cell;
                if (local && c % 2 == 1) tile_best = __vimax3_s32(tile_best, cells[r][c - 1], cell);
            }
            right_h[r] = h[C - 1], right_e[r] = e;
        }
        corner = left_h[tile_rows - 1];
        if (local && tile_best > best.score) {
            best.score = tile_best;
#pragma unroll
            for (unsigned i = 0; i < tile_rows * C; ++i) {
                if (cells[i / C][i % C] == tile_best)
                    best.query_end = block * tile_rows + i / C + 1, best.text_end = first_column + i % C + 1;
            }
        }
        if (!local && block == (a.m - 1) / tile_rows) {
#pragma unroll
            for (unsigned i = 0; i < tile_rows * C; ++i) {
                if (i / C == (a.m - 1) % tile_rows && first_column + i % C == a.n - 1)
                    best = {cells[i / C][i % C], a.m, a.n};
            }
        }
    }

    // The largest H from which the next tile continues, but for the edge to its left.
    __device__ int top() const {
        int top = max(corner, h[0]);
#pragma unroll
        for (unsigned c = 1; c < C; ++c) top = max(top, h[c]);
        return top;
    }

    __device__ void forget() {
#pragma unroll
        for (unsigned c = 0; c < C; ++c) h[c] = f[c] = 0;
        corner = 0;
    }
};

// A warp's way down one strip. `chunk` rows are read from the bus at a time.
template <bool local, bool quick, unsigned C, unsigned chunk>
class Strip {
public:
    __device__ Strip(const LongArguments& arguments, std::uint32_t strip, int4* scores, int2* left)
        : a(arguments), strip_(strip), left_(left) {
        first_column_ = (strip * 32 + lane()) * C;
        from_ = strip == 0 ? a.ingress : a.bus;
        to_ = strip + 1 == a.strips && a.egress != nullptr ? a.egress : a.bus;
#pragma unroll
        for (unsigned c = 0; c < C; ++c) {
            lane_.h[c] = local ? 0 : -gap_cost(first_column_ + c + 1);
            lane_.f[c] = lane_.h[c] - a.gap_first;
        }
        lane_.corner = local ? 0 : -gap_cost(first_column_);
        build_scores(scores);
        scores_ = kept(static_cast<unsigned>(__cvta_generic_to_shared(scores + lane())));
        left_address_ = kept(static_cast<unsigned>(__cvta_generic_to_shared(left)));
        letters_ = kept(reinterpret_cast<const std::uint32_t*>(a.query));
    }

    // False if another strip has reached what was to be reached.
    __device__ bool run() {
        const std::uint32_t chunks = a.rows / chunk;
        std::uint32_t next = 0;
        prefetch(0);
        bool wanted = true;
        while (next < chunks && wanted) {
            wanted = descend(next, chunks);
            if (wanted && next < chunks) wanted = skip(next, chunks);
        }
        report();
        return wanted;
    }

private:
    static constexpr unsigned steps = chunk / tile_rows;

    __device__ static unsigned lane() { return threadIdx.x; }
    __device__ int gap_cost(std::uint32_t length) const {
        return length == 0 ? 0 : a.gap_first + static_cast<int>(length - 1) * a.gap_further;
    }

    __device__ void build_scores(int4* table) {
        __syncwarp();
        int* scores = reinterpret_cast<int*>(table);
        for (unsigned c = 0; c < C; ++c) {
            const Code letter = a.text[first_column_ + c];
            for (unsigned row = 0; row <= a.letters; ++row)
                scores[((row * (C / 4) + c / 4) * 32 + lane()) * 4 + c % 4] = a.matrix[letter * matrix_rows + row];
        }
        __syncwarp();
    }

    __device__ void prefetch(std::uint32_t next) {
        prefetched_best_ = read_volatile(a.counters + best);
        if (from_ != nullptr && lane() < chunk && next < a.rows / chunk)
            prefetched_ = read_bus(from_, std::size_t{next} * chunk + lane());
    }

    // The left edge of a chunk into left_, its largest H into left_top_. False if there is no need any more.
    __device__ bool receive(std::uint32_t next) {
        if (local) share_best();
        int h, e;
        if (from_ == nullptr) {
            h = local ? 0 : -gap_cost(next * chunk + lane() + 1);
            e = h - a.gap_first;
        } else {
            const auto arrived = [&] { return lane() >= chunk || prefetched_.rest >> 16 == (strip_ & 0xffff); };
            while (!__all_sync(~0u, arrived())) {
                prefetch(next);
                if (local && prefetched_best_ >= a.stop_at) return false;
            }
            h = prefetched_.h;
            e = h - static_cast<int>(prefetched_.rest & 0xffff);
        }
        __syncwarp();
        if (lane() < chunk) left_[lane()] = {h, e};
        __syncwarp();
        if (local && a.prune) left_top_ = __reduce_max_sync(~0u, lane() < chunk ? h : 0);
        prefetch(next + 1);
        return !local || known_best_ < a.stop_at;
    }

    // Whether nothing below row `row` of this strip can be better than the best, if `top` enters it.
    __device__ bool hopeless(std::uint32_t row, int top) const {
        const std::uint32_t first = strip_ * 32 * C;
        const std::uint32_t gain = row < a.m ? min(a.m - row, a.n - first) : 0;
        return static_cast<long long>(top) + static_cast<long long>(gain) * a.highest <= known_best_;
    }

    // Tiles from chunk `next` on until rows can be skipped or the end, with every lane as far as the others.
    __device__ bool descend(std::uint32_t& next, std::uint32_t chunks) {
        const std::uint32_t base = next * steps;
        std::uint32_t limit = chunks * steps;
        std::uint32_t letters = next_letters(base - lane());
        for (std::uint32_t step = 0;; step += steps) {
            if (base + step < limit) {
                if (!receive(next)) return false;
                if (local && a.prune && may_skip(next)) {
                    limit = base + step;
                } else {
                    ++next;
                }
            }
            if (step >= limit - base + drain_steps) return true;
#pragma unroll 1
            for (unsigned i = 0; i < steps; ++i) {
                const std::uint32_t block = base + step + i - lane();
                pass_edges(i);
                const std::uint32_t four = letters;
                letters = next_letters(block + 1);
                if (step + i < lane() || block >= limit) continue;
                lane_.tile(a, scores_, four, block, first_column_);
                if (lane() == 31) publish(block);
            }
        }
    }

    __device__ std::uint32_t next_letters(std::uint32_t block) const {
        return block < a.rows / tile_rows ? letters_[block] : 0;
    }

    __device__ void pass_edges(unsigned step) {
#pragma unroll
        for (unsigned r = 0; r < tile_rows; ++r) {
            lane_.left_h[r] = __shfl_up_sync(~0u, lane_.right_h[r], 1);
            lane_.left_e[r] = __shfl_up_sync(~0u, lane_.right_e[r], 1);
        }
        if (lane() == 0) {
            const unsigned left = left_address_ + step * tile_rows * sizeof(int2);
            const int4 upper = read_shared(left), lower = read_shared(left + sizeof(int4));
            lane_.left_h[0] = upper.x, lane_.left_e[0] = upper.y, lane_.left_h[1] = upper.z, lane_.left_e[1] = upper.w;
            lane_.left_h[2] = lower.x, lane_.left_e[2] = lower.y, lane_.left_h[3] = lower.z, lane_.left_e[3] = lower.w;
        }
    }

    __device__ void publish(std::uint32_t block) {
        const std::uint32_t tag = (strip_ + 1) & 0xffff;
#pragma unroll
        for (unsigned r = 0; r < tile_rows; r += 2)
            write_bus(to_, std::size_t{block} * 2 + r / 2, packed(lane_.right_h[r], lane_.right_e[r], a.gap_first, tag),
                      packed(lane_.right_h[r + 1], lane_.right_e[r + 1], a.gap_first, tag));
    }

    // Lanes stand up to 31 tiles above the chunk, so this estimates; skip() decides when they stand beside each other.
    __device__ bool may_skip(std::uint32_t next) {
        const int top = __reduce_max_sync(~0u, lane_.top());
        return hopeless(next * chunk, max(left_top_, top) + static_cast<int>(drain_steps * tile_rows) * a.highest);
    }

    __device__ void share_best() {
        const int own = __reduce_max_sync(~0u, lane_.best.score);
        known_best_ = max(own, prefetched_best_);
        if (own <= prefetched_best_) return;
        if (lane() == 0) atomicMax(reinterpret_cast<int*>(a.counters + best), own);
    }

    // Chunk `next`, received already, and those below it as long as they are hopeless.
    __device__ bool skip(std::uint32_t& next, std::uint32_t chunks) {
        int top = __reduce_max_sync(~0u, lane_.top());
        const unsigned long long nothing = packed(0, -a.gap_first, a.gap_first, (strip_ + 1) & 0xffff);
        while (hopeless(next * chunk, max(top, left_top_))) {
            if (lane() < chunk / 2) write_bus(to_, std::size_t{next} * (chunk / 2) + lane(), nothing, nothing);
            ++(std::uint64_t{next} * chunk * a.n < std::uint64_t{strip_} * 32 * C * a.m ? pruned_right_ : pruned_left_);
            lane_.forget();
            top = 0;
            if (++next == chunks) return true;
            if (!receive(next)) return false;
        }
        // descend() receives the chunk again: it is still on the bus, since this strip has not written its row.
        prefetch(next);
        return true;
    }

    __device__ void report() {
        if (lane() == 0 && a.progress != nullptr) *a.progress = strip_ + 1;
        if (local) share_best();
        const int top = __reduce_max_sync(~0u, local ? lane_.best.score : 0);
        const bool is_best = local ? lane_.best.score == top : lane_.best.text_end != 0;
        const unsigned who = __ballot_sync(~0u, is_best);
        if (who == 0 ? lane() == 0 : lane() == static_cast<unsigned>(__ffs(static_cast<int>(who)) - 1))
            a.results[strip_] = {lane_.best.score, lane_.best.query_end, lane_.best.text_end,
                                 pruned_left_,     pruned_right_,        {}};
    }

    const LongArguments& a;
    std::uint32_t strip_, first_column_;
    unsigned scores_, left_address_;
    int2* left_;
    const std::uint32_t* letters_;
    const ulonglong2* from_;
    ulonglong2* to_;
    Lane<local, quick, C> lane_{};
    BusElement prefetched_{};
    int prefetched_best_ = 0, known_best_ = 0, left_top_ = 0;
    std::uint32_t pruned_left_ = 0, pruned_right_ = 0;
};

template <bool local, bool quick, unsigned C, unsigned chunk>
__global__ void __launch_bounds__(32) long_kernel(const LongArguments a) {
    extern __shared__ int4 scores[];  // [letter][C / 4][lane]
    __shared__ __align__(16) int2 left[chunk];
    for (;;) {
        unsigned strip = 0;
        if (threadIdx.x == 0) strip = atomicAdd(a.counters + ticket, 1);
        strip = __shfl_sync(~0u, strip, 0);
        if (strip >= a.strips) return;
        if (!Strip<local, quick, C, chunk>(a, strip, scores, left).run()) return;
    }
}

using Kernel = void (*)(LongArguments);

struct Shape {
    Kernel kernel;
    unsigned columns;
};

constexpr unsigned chunk_rows_max = 32;
// Up to here what counts is how soon a strip can follow the one before it.
constexpr std::size_t quick_columns_max = 40'000;

template <bool local>
Shape shape_for(std::size_t n) {
    if (n <= quick_columns_max) return {long_kernel<local, true, 4, 16>, 4};
    return {long_kernel<local, false, 8, 32>, 8};
}

template <class T>
void upload(cuda::DeviceBuffer<T>& to, const std::vector<T>& from) {
    to.reserve(from.size());
    cuda::check(cudaMemcpy(to.data(), from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice), "copy to device");
}

std::vector<Code> pad(Codes sequence, std::size_t multiple, Code with) {
    std::vector<Code> padded(sequence.begin(), sequence.end());
    padded.resize((sequence.size() + multiple - 1) / multiple * multiple, with);
    return padded;
}

}  // namespace

DeviceLong::DeviceLong(const Scheme& scheme) : scheme_(scheme), counters_(counter_count), progress_(1) {
    const auto letters = static_cast<std::size_t>(scheme.letters);
    std::vector<std::int32_t> matrix(matrix_rows * matrix_rows, null_score);
    for (std::size_t x = 0; x < letters; ++x) {
        for (std::size_t y = 0; y < letters; ++y) matrix[x * matrix_rows + y] = scheme.scores[x][y];
    }
    upload(matrix_, matrix);
    int device = 0, count = 0;
    cuda::check(cudaGetDevice(&device), "cudaGetDevice");
    cuda::check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
    multiprocessors_ = static_cast<unsigned>(count);
}

void DeviceLong::prepare(Mode mode, Codes query, Codes text, const LongOptions& options) {
    mode_ = mode;
    options_ = options;
    rows_ = static_cast<std::uint32_t>(query.size());
    columns_ = static_cast<std::uint32_t>(text.size());
    strip_columns_ = 32 * (mode == Mode::local ? shape_for<true> : shape_for<false>)(text.size()).columns;
    strips_ = static_cast<std::uint32_t>((text.size() + strip_columns_ - 1) / strip_columns_);
    const auto null = static_cast<Code>(scheme_.letters);
    upload(query_, pad(query, chunk_rows_max, null));
    upload(text_, pad(text, strip_columns_, null));
    bus_.reserve((query.size() + chunk_rows_max - 1) / chunk_rows_max * chunk_rows_max / 2);
    results_.reserve(strips_);
    progress_[0] = 0;
}

void DeviceLong::enqueue(cudaStream_t stream) {
    cuda::check(cudaMemsetAsync(bus_.data(), 0, bus_.bytes(), stream), "cudaMemsetAsync");
    cuda::check(cudaMemsetAsync(results_.data(), 0, results_.bytes(), stream), "cudaMemsetAsync");
    cuda::check(cudaMemsetAsync(counters_.data(), 0, counters_.bytes(), stream), "cudaMemsetAsync");
    if (options_.known_below > 0)
        cuda::check(cudaMemcpyAsync(counters_.data() + best, &options_.known_below, sizeof(int), cudaMemcpyHostToDevice,
                                    stream),
                    "cudaMemcpyAsync");
    const LongArguments arguments{
        .query = query_.data(),
        .text = text_.data(),
        .matrix = matrix_.data(),
        .bus = bus_.data(),
        .ingress = nullptr,
        .egress = nullptr,
        .results = results_.data(),
        .counters = counters_.data(),
        .progress = progress_.data(),
        .m = rows_,
        .n = columns_,
        .rows = (rows_ + chunk_rows_max - 1) / chunk_rows_max * chunk_rows_max,
        .strips = strips_,
        .letters = static_cast<std::uint32_t>(scheme_.letters),
        .gap_first = scheme_.gap_first,
        .gap_further = scheme_.gap_further,
        .highest = scheme_.highest,
        .stop_at = options_.stop_at,
        .prune = options_.prune,
        .one = 1,
    };
    const Shape shape = (mode_ == Mode::local ? shape_for<true> : shape_for<false>)(columns_);
    const std::size_t shared = (arguments.letters + 1) * shape.columns * 32 * sizeof(int);
    int blocks = 0;
    cuda::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, shape.kernel, 32, shared), "occupancy");
    const unsigned grid = std::min(strips_, static_cast<unsigned>(blocks) * multiprocessors_);
    shape.kernel<<<grid, 32, shared, stream>>>(arguments);
    cuda::check_launch("alignment of a long pair");
}

EndPoint DeviceLong::finish(cudaStream_t stream) {
    std::vector<StripResult> results(strips_);
    cuda::copy_to_host(std::span(results), results_.data(), stream);
    cuda::check(cudaStreamSynchronize(stream), "alignment of a long pair");
    statistics_ = {};
    EndPoint end;
    for (const auto& strip : results) {
        statistics_.pruned_left += strip.pruned_left;
        statistics_.pruned_right += strip.pruned_right;
        const bool better = mode_ == Mode::local ? strip.score > end.score : strip.text_end != 0;
        if (better) end = {strip.score, strip.query_end, strip.text_end};
    }
    const std::size_t chunk = strip_columns_ == 128 ? 16 : 32;
    statistics_.tiles = (rows_ + chunk_rows_max - 1) / chunk_rows_max * chunk_rows_max / chunk * std::uint64_t{strips_};
    return end;
}

EndPoint DeviceLong::align(Mode mode, Codes query, Codes text, const LongOptions& options) {
    statistics_ = {};
    if (query.empty() || text.empty()) return reference_align(scheme_, mode, query, text);
    prepare(mode, query, text, options);
    const cuda::Stream stream;
    enqueue(stream);
    return finish(stream);
}

double DeviceLong::progress() const {
    return strips_ == 0 ? 0 : static_cast<double>(*static_cast<volatile unsigned*>(progress_.data())) / strips_;
}

std::size_t DeviceLong::device_bytes() const {
    return query_.bytes() + text_.bytes() + matrix_.bytes() + bus_.bytes() + results_.bytes() + counters_.bytes();
}

}  // namespace sluice::alignment
