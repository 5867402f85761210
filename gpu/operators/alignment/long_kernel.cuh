// The kernel of device_long.cu, whose head says how pairs are laid out. Device code only.
#pragma once

#include <cstdint>

#include "gpu/operators/alignment/long_edges.cuh"
#include "gpu/operators/alignment/long_launch.hpp"

namespace sluice::alignment {

constexpr unsigned block_threads = 192;  // strip_warps, one warp that feeds them and one that sends on what they did
constexpr unsigned ring_groups = 2 * epoch_steps;
constexpr unsigned lag = 31;  // steps that the last lane is behind the first
static_assert(lag < ring_groups);

__device__ inline int gap_cost(const LongArguments& a, std::uint32_t length) {
    return length == 0 ? 0 : a.gap_first + static_cast<int>(length - 1) * a.gap_further;
}

__device__ inline int multiply_add(int a, std::uint32_t b, int c) {
    int d;
    asm("mad.lo.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
}

__device__ inline int4 read_four(unsigned address) {
    int4 v;
    asm volatile("ld.shared.v4.s32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "r"(address));
    return v;
}

// A value that all lanes have, so that the compiler sees it too: where it does, branches and shuffles need no care.
__device__ inline unsigned uniform(unsigned value) { return __reduce_max_sync(~0u, value); }
__device__ inline bool any(bool value) { return __any_sync(~0u, value); }

// What the warps of a block share.
template <unsigned R>
struct StripBlock {
    Edge rings[strip_warps + 1][ring_groups * R];  // to the left of each strip, and to the right of the last
    Edge nothing[2 * R];                           // zeros: what lanes but the first read from the left
    int best, stop;
    unsigned unit;
};

// A warp's way down one strip.
template <bool local, unsigned R, unsigned C>
class Strip {
public:
    __device__ Strip(const LongArguments& arguments, const LongWork& pair, std::uint32_t strip, StripBlock<R>& block,
                     unsigned warp, int* table)
        : a(arguments), p(pair), strip_(uniform(strip)), lane_(threadIdx.x % 32), groups_(uniform(pair.groups)) {
        first_column_ = (strip * 32 + lane_) * C;
        sends_ = any((strip + 1) * 32 * C < p.n || p.egress != nullptr);
        ring_ = shared_address(block.rings[warp]);
        out_ring_ = shared_address(block.rings[warp + 1]);
        best_address_ = shared_address(&block.best);
        stop_address_ = shared_address(&block.stop);
        // The other lanes go on reading zeros.
        in_ = lane_ == 0 ? ring_ : shared_address(block.nothing);
        in_base_ = in_;
        in_mask_ = lane_ == 0 ? ring_bytes - 1 : 0;
        out_ = out_ring_;
        not_first_ = lane_ == 0 ? 0 : 1;
        minus_first_ = -a.gap_first, minus_further_ = -a.gap_further;
#pragma unroll
        for (unsigned c = 0; c < C; ++c) {
            h_[c] = local ? 0 : -gap_cost(a, p.before + first_column_ + c + 1);
            f_[c] = h_[c] - a.gap_first;
        }
        corner_ = local ? 0 : -gap_cost(a, p.before + first_column_);
        last_ = p.query + ((p.m - 1) / R + groups_before) * R;
        build_scores(table);
    }

    __device__ void run() {
        bool wanted = true;
        for (std::uint32_t group = 0; wanted && group < groups_;) {
            wanted = descend(group);
            if (local && wanted && group < groups_) wanted = skip(group);
        }
        report();
    }

private:
    static constexpr unsigned ring_bytes = ring_groups * R * sizeof(Edge);
    static constexpr unsigned row_bytes = 32 * C * sizeof(int);  // of the score table

    __device__ void build_scores(int* table) {
        constexpr unsigned width = C < 4 ? C : 4;
        for (unsigned c = 0; c < C; ++c) {
            const Code letter = p.text[first_column_ + c];
            for (unsigned row = 0; row <= a.letters; ++row)
                table[((row * (C / width) + c / width) * 32 + lane_) * width + c % width] =
                    a.matrix[letter * matrix_rows + row];
        }
        __syncwarp();
        table_ = shared_address(table + lane_ * width);
    }

    // The R letters of a row group.
    __device__ std::uint32_t letters_of(const Code* group) const {
        if constexpr (R == 4) return __ldg(reinterpret_cast<const std::uint32_t*>(group));
        return __ldg(reinterpret_cast<const std::uint16_t*>(group));
    }

    __device__ void read_scores(std::uint32_t letters, int (&s)[R][C]) const {
#pragma unroll
        for (unsigned r = 0; r < R; ++r) {
            const unsigned row = table_ + (letters >> (8 * r) & 0xff) * row_bytes;
#pragma unroll
            for (unsigned c = 0; c < C; c += 4) {
                const int4 four = read_four(row + c / 4 * 32 * sizeof(int4));
                s[r][c] = four.x, s[r][c + 1] = four.y, s[r][c + 2] = four.z, s[r][c + 3] = four.w;
            }
        }
    }

    // The left edges of two steps.
    __device__ void read_left() {
#pragma unroll
        for (unsigned r = 0; r < 2 * R; r += 2) read_edges(in_ + r * sizeof(Edge), left_[r], left_[r + 1]);
    }
    __device__ bool left_missing() const {
        int least = h_of(left_[0]);
#pragma unroll
        for (unsigned r = 1; r < 2 * R; ++r) least = min(least, h_of(left_[r]));
        return any(least == h_of(no_edge));
    }
    __device__ bool stopped() const { return any(read_int(stop_address_) != 0); }
    __device__ bool await_left() {
        for (unsigned spins = 0; left_missing();) {
            if (stopped()) return false;
            SLUICE_SPIN(spins);
            read_left();
        }
        return true;
    }
    // Gives the ring's places back.
    __device__ void take_left() {
        if (lane_ == 0) {
#pragma unroll
            for (unsigned r = 0; r < 2 * R; r += 2) write_edges(in_ + r * sizeof(Edge), no_edge, no_edge);
        }
        in_ = in_base_ | ((in_ + 2 * R * sizeof(Edge)) & in_mask_);
    }
    // Until row group `group` of the ring to the right has been read there, one round ago. Groups are given back in
    // order: in_order() stands between those before the last one of an epoch's and that one, and here after it has been
    // seen.
    __device__ bool await_room(std::uint32_t group) const {
        const unsigned address = out_ring_ + group % ring_groups * R * sizeof(Edge);
        for (unsigned spins = 0; any(!are_empty(address));) {
            if (stopped()) return false;
            SLUICE_SPIN(spins);
        }
        return true;
    }
    __device__ static bool are_empty(unsigned address) {
        Edge edges[R];
#pragma unroll
        for (unsigned r = 0; r < R; r += 2) read_edges(address + r * sizeof(Edge), edges[r], edges[r + 1]);
        bool empty = true;
#pragma unroll
        for (unsigned r = 0; r < R; ++r) empty = empty && !arrived(edges[r]);
        return empty;
    }

    // Tiles of R x C cells from row group `group` on, lane l one step behind lane l - 1, until rows can be skipped or
    // the end, with every lane as far as the others. False if another strip has reached what was to be reached.
    __device__ bool descend(std::uint32_t& group) {
        const std::uint32_t base = group;
        std::uint32_t count = groups_ - base;
        int even[R][C], odd[R][C];
        query_ = p.query + (std::size_t{base} + groups_before - lane_) * R;
        read_scores(letters_of(query_), even);
        letters_[0] = letters_of(query_ + R), letters_[1] = letters_of(query_ + 2 * R);
        out_ = out_ring_ + (base % ring_groups) * R * sizeof(Edge);
        read_left();
        for (std::uint32_t step = 0; step < count + lag; step += epoch_steps) {
            if (local) limit_ = max(limit_, read_int(best_address_));
            if (local && a.prune) {
                limit_ = __reduce_max_sync(~0u, limit_);
                if (step > 0 && step < count && may_skip(base + step)) count = step;
            }
            if (sends_ && step + epoch_steps > lag && !await_room(base + step + epoch_steps - 1 - lag)) return false;
            in_order();
            const bool whole = step > lag && step + epoch_steps <= count;
            if (whole ? !epoch<false>(step, count, even, odd) : !epoch<true>(step, count, even, odd)) return false;
        }
        group = base + count;
        return true;
    }

    // `edge`: some lanes may have nothing to do.
    template <bool edge>
    __device__ __forceinline__ bool epoch(std::uint32_t first, std::uint32_t count, int (&even)[R][C],
                                          int (&odd)[R][C]) {
        constexpr bool note_both = R * C <= 8;  // at once: registers
#pragma unroll 1
        for (std::uint32_t step = first; step < first + epoch_steps; step += 2) {
            const bool takes = !edge || step < count;
            if (takes && !await_left()) return false;
            int left[2][2][R];
#pragma unroll
            for (unsigned r = 0; r < 2 * R; ++r)
                left[r / R][0][r % R] = takes ? h_of(left_[r]) : 0, left[r / R][1][r % R] = takes ? e_of(left_[r]) : 0;
            if (takes) take_left(), read_left();
            int cells[2][R][C];
            read_scores(letters_[0], odd);
            letters_[0] = letters_of(query_ + 3 * R);
            const int upper = tile<edge>(step, count, even, left[0], cells[0]);
            if (!note_both && any(noted<edge>(upper, step, count, 0))) note<edge>(upper, step, count, 0, cells[0]);
            read_scores(letters_[1], even);
            letters_[1] = letters_of(query_ + 4 * R);
            const int lower = tile<edge>(step + 1, count, odd, left[1], cells[1]);
            const bool better = noted<edge>(lower, step, count, 1) || (note_both && noted<edge>(upper, step, count, 0));
            if (any(better)) {
                if (note_both) note<edge>(upper, step, count, 0, cells[0]);
                note<edge>(lower, step, count, 1, cells[1]);
            }
            query_ += 2 * R;
        }
        return true;
    }

    template <bool edge>
    __device__ bool active(std::uint32_t step, std::uint32_t count) const {
        return !edge || (step >= lane_ && step < count + lane_);
    }

    // One step; the largest cell.
    template <bool edge>
    __device__ __forceinline__ int tile(std::uint32_t step, std::uint32_t count, const int (&s)[R][C],
                                        const int (&left)[2][R], int (&cells)[R][C]) {
        const bool works = active<edge>(step, count);
        int h[C], f[C], left_h[R], left_e[R], sent_h[R], sent_e[R];
#pragma unroll
        for (unsigned r = 0; r < R; ++r) {
            left_h[r] = multiply_add(passed_h_[r], not_first_, left[0][r]);
            left_e[r] = multiply_add(passed_e_[r], not_first_, left[1][r]);
        }
#pragma unroll
        for (unsigned c = 0; c < C; ++c) h[c] = h_[c], f[c] = f_[c];
        int diagonal_left = corner_, most = 0;
#pragma unroll
        for (unsigned r = 0; r < R; ++r) {
            int diagonal = diagonal_left, e = left_e[r];
            diagonal_left = left_h[r];
#pragma unroll
            for (unsigned c = 0; c < C; ++c) {
                const int d = multiply_add(diagonal, a.one, s[r][c]);
                diagonal = h[c];
                const int cell = local ? __vimax3_s32_relu(d, e, f[c]) : __vimax3_s32(d, e, f[c]);
                const int opened = multiply_add(cell, a.one, minus_first_);
                e = __viaddmax_s32(e, minus_further_, opened);
                f[c] = __viaddmax_s32(f[c], minus_further_, opened);
                h[c] = cells[r][c] = cell;
                if (local && c % 2 == 1) most = __vimax3_s32(most, cells[r][c - 1], cell);
            }
            sent_h[r] = h[C - 1], sent_e[r] = e;
            passed_h_[r] = __shfl_up_sync(~0u, h[C - 1], 1);
            passed_e_[r] = __shfl_up_sync(~0u, e, 1);
        }
        if (works) {
#pragma unroll
            for (unsigned c = 0; c < C; ++c) h_[c] = h[c], f_[c] = f[c];
            corner_ = diagonal_left;
        }
        if (sends_ && lane_ == 31 && works) {
#pragma unroll
            for (unsigned r = 0; r < R; r += 2)
                write_edges(out_ + r * sizeof(Edge), edge_of(sent_h[r], sent_e[r]),
                            edge_of(sent_h[r + 1], sent_e[r + 1]));
        }
        if (!edge || step >= lag) out_ = out_ring_ | ((out_ + R * sizeof(Edge)) & (ring_bytes - 1));
        return most;
    }

    // Whether the tile of `step + later` has a better cell than any known, or the last one of a global alignment.
    template <bool edge>
    __device__ bool noted(int most, std::uint32_t step, std::uint32_t count, unsigned later) const {
        return active<edge>(step + later, count) && (local ? most > limit_ : query_ + later * R == last_);
    }
    template <bool edge>
    __device__ __forceinline__ void note(int most, std::uint32_t step, std::uint32_t count, unsigned later,
                                         const int (&cells)[R][C]) {
        if (!noted<edge>(most, step, count, later)) return;
        const auto first_row = static_cast<std::uint32_t>(query_ - p.query) + later * R - groups_before * R;
#pragma unroll
        for (unsigned i = 0; i < R * C; ++i) {
            const std::uint32_t row = first_row + i / C + 1, column = first_column_ + i % C + 1;
            if (local ? cells[i / C][i % C] == most : row == p.m && column == p.n && p.after == 0)
                best_ = {cells[i / C][i % C], row, p.before + column};
        }
        if (!local) return;
        limit_ = most;
        raise_int(best_address_, most);
    }

    // The largest H from which what is below this strip's done rows continues, but for the edge to its left.
    __device__ int top() const {
        int top = max(corner_, h_[0]);
#pragma unroll
        for (unsigned c = 1; c < C; ++c) top = max(top, h_[c]);
        return __reduce_max_sync(~0u, top);
    }

    // The most that can be added below row group `group`.
    __device__ long long gain(std::uint32_t group) const {
        const std::uint32_t row = group * R, column = strip_ * 32 * C;
        const std::uint32_t rows = row < p.m ? p.m - row : 0;
        return static_cast<long long>(uniform(min(rows, p.n - column + p.after))) * a.highest;
    }

    // Lanes stand up to `lag` tiles above the group, so this estimates; skip() decides when they stand together.
    __device__ bool may_skip(std::uint32_t group) const {
        const long long most = gain(group) + static_cast<int>(lag * R) * a.highest;
        return most <= limit_ && most + top() <= limit_;
    }

    // Epochs of rows that can't hold anything better than what is known: zeros are sent on instead. True as lower
    // bounds, they leave score and end point right.
    __device__ bool skip(std::uint32_t& group) {
        constexpr unsigned rows = epoch_steps * R;
        const Edge zero = edge_of(0, minus_first_);
        __syncwarp();  // lane 0 read and lane 31 wrote what now all do
        for (int own = top(); group < groups_; own = 0) {
            int largest = 0;
            for (unsigned first = 0; first < rows; first += 32) {
                const unsigned address = ring_ + (group % ring_groups * R + first + lane_) * sizeof(Edge);
                Edge edge = read_edge(address);
                for (unsigned spins = 0; any(!arrived(edge)); edge = read_edge(address)) {
                    if (stopped()) return false;
                    SLUICE_SPIN(spins);
                }
                largest = max(largest, h_of(edge));
            }
            in_order();
            largest = __reduce_max_sync(~0u, largest);
            limit_ = max(limit_, read_int(best_address_));
            limit_ = __reduce_max_sync(~0u, limit_);
            if (gain(group) + max(own, largest) > limit_) break;
            for (unsigned first = 0; first < rows; first += 32) {
                const unsigned offset = (group % ring_groups * R + first + lane_) * sizeof(Edge);
                write_edge(ring_ + offset, no_edge);
                if (!sends_) continue;
                for (unsigned spins = 0; any(arrived(read_edge(out_ring_ + offset)));) {
                    if (stopped()) return false;
                    SLUICE_SPIN(spins);
                }
                write_edge(out_ring_ + offset, zero);
            }
            const std::uint64_t row = std::uint64_t{group} * R;
            ++(row * (p.before + p.n + p.after) < std::uint64_t{p.before + strip_ * 32 * C} * p.m ? pruned_right_
                                                                                                  : pruned_left_);
            group += epoch_steps;
#pragma unroll
            for (unsigned c = 0; c < C; ++c) h_[c] = 0, f_[c] = minus_first_;
            corner_ = 0;
        }
        __syncwarp();
        in_ = in_base_ | ((group % ring_groups * R * sizeof(Edge)) & in_mask_);
        return true;
    }

    __device__ void report() {
        __syncwarp();
        const int top = __reduce_max_sync(~0u, local ? best_.score : 0);
        const unsigned who = __ballot_sync(~0u, local ? best_.score == top : best_.text_end != 0);
        if (who == 0 ? lane_ == 0 : lane_ == static_cast<unsigned>(__ffs(static_cast<int>(who)) - 1))
            p.results[strip_] = {best_.score, best_.query_end, best_.text_end, pruned_left_, pruned_right_, {}};
    }

    const LongArguments& a;
    const LongWork& p;
    std::uint32_t strip_;
    unsigned lane_;
    std::uint32_t groups_, first_column_;
    unsigned table_, ring_, out_ring_, in_, in_base_, in_mask_, out_, best_address_, stop_address_;
    std::uint32_t not_first_;
    int minus_first_, minus_further_;
    bool sends_;
    const Code *query_ = nullptr, *last_ = nullptr;
    std::uint32_t letters_[2] = {};  // of the next two steps
    Edge left_[2 * R];
    int h_[C], f_[C], corner_;
    int passed_h_[R] = {}, passed_e_[R] = {};
    int limit_ = 0;  // what a cell has to exceed
    EndPoint best_{};
    std::uint32_t pruned_left_ = 0, pruned_right_ = 0;
};

// Brings the bus to the first strip's ring, 32 rows at a time, and the block's best score to the pair's.
template <bool local, unsigned R>
__device__ void feed(const LongArguments& a, const LongWork& p, std::uint32_t block_strip, StripBlock<R>& block) {
    const unsigned lane = threadIdx.x % 32;
    const unsigned ring = shared_address(block.rings[0]), best = shared_address(&block.best);
    const Edge* from = block_strip == 0 ? p.ingress : p.bus;
    const std::uint32_t tag = p.first_block + block_strip;
    const std::uint32_t rows = p.groups * R;
    Edge ahead = from != nullptr ? read_bus(from + lane) : 0;
    for (std::uint32_t row = lane; row < rows; row += 32) {
        Edge edge = ahead;
        if (from != nullptr && row + 32 < rows) ahead = read_bus(from + row + 32);
        const unsigned address = ring + row % (ring_groups * R) * sizeof(Edge);
        bool done = false;
        for (unsigned spins = 0;; edge = from == nullptr ? 0 : read_bus(from + row)) {
            if (!done && (from == nullptr || is_for(edge, tag)) && !arrived(read_edge(address))) {
                const int h = local ? 0 : -gap_cost(a, row + 1);
                write_edge(address, from == nullptr ? edge_of(h, h - a.gap_first) : from_bus(edge));
                done = true;
            }
            if (__all_sync(~0u, done)) break;
            SLUICE_SPIN(spins);
            if (any(read_best(p.best) >= p.stop_at)) {
                *static_cast<volatile int*>(&block.stop) = 1;
                return;
            }
        }
        if (!local) continue;
        const int here = read_int(best), known = read_best(p.best);
        if (lane == 0 && here > known) atomicMax(p.best, here);
        if (lane == 0 && known > here) atomicMax(&block.best, known);
        if (any(max(here, known) >= p.stop_at)) {
            *static_cast<volatile int*>(&block.stop) = 1;
            return;
        }
    }
}

// Sends the last strip's ring on over the bus.
template <unsigned R>
__device__ void send_on(const LongArguments& a, const LongWork& p, std::uint32_t block_strip, StripBlock<R>& block) {
    const bool is_last = block_strip + 1 == p.blocks;
    Edge* const to = is_last ? p.egress : p.bus;
    if (to == nullptr) return;
    const std::uint32_t tag = p.first_block + block_strip + 1;
    const unsigned ring = shared_address(block.rings[strip_warps]);
    const std::uint32_t rows = p.groups * R;
    for (std::uint32_t row = threadIdx.x % 32; row < rows; row += 32) {
        const unsigned address = ring + row % (ring_groups * R) * sizeof(Edge);
        bool done = false;
        for (unsigned spins = 0;;) {
            const Edge edge = read_edge(address);
            if (!done && arrived(edge)) {
                write_bus(to + row, to_bus(edge, a.gap_first, tag));
                done = true;
            }
            if (__all_sync(~0u, done)) break;
            SLUICE_SPIN(spins);
            if (any(read_int(shared_address(&block.stop)) != 0)) return;
            __nanosleep(20);
        }
        in_order();
        write_edge(address, no_edge);
    }
}

// `blocks` share a multiprocessor; 0: as many as its registers allow.
template <bool local, unsigned R, unsigned C, unsigned blocks>
__global__ void __launch_bounds__(block_threads, blocks) long_kernel(const LongArguments a) {
    extern __shared__ int4 tables[];  // [strip_warps][letter][C / 4][lane]
    __shared__ __align__(1024) StripBlock<R> block;
    const unsigned warp = threadIdx.x / 32;
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0) block.unit = atomicAdd(a.ticket, 1);
        for (unsigned i = threadIdx.x; i < (strip_warps + 1) * ring_groups * R; i += block_threads)
            block.rings[i / (ring_groups * R)][i % (ring_groups * R)] = no_edge;
        if (threadIdx.x < 2 * R) block.nothing[threadIdx.x] = 0;
        __syncthreads();
        if (block.unit >= a.units) return;
        const LongWork p = a.work[a.unit_work[block.unit]];
        const std::uint32_t block_strip = block.unit - p.first_unit;
        if (threadIdx.x == 0) {
            block.best = max(p.known_below, read_best(p.best));
            block.stop = block.best >= p.stop_at;
        }
        __syncthreads();
        if (warp < strip_warps) {
            const std::uint32_t strip = block_strip * strip_warps + warp;
            int* const table = reinterpret_cast<int*>(tables) + warp * (a.letters + 1) * 32 * C;
            if (strip * 32 * C < p.n) Strip<local, R, C>(a, p, strip, block, warp, table).run();
        } else if (warp == strip_warps) {
            feed<local, R>(a, p, block_strip, block);
        } else {
            send_on<R>(a, p, block_strip, block);
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            if (local) atomicMax(p.best, block.best);
            if (a.progress != nullptr) *a.progress = block.unit + 1;
        }
    }
}

}  // namespace sluice::alignment
