// One warp's work on a strip of a long pair, and what the warps of a block share. The class exceeds 300 lines because
// its parts belong to one step and share one set of registers. Device code only.
#pragma once

#include <cstdint>

#include "gpu/operators/alignment/cuda/wavefront_edges.cuh"
#include "gpu/operators/alignment/cuda/wavefront_launch.hpp"

namespace sluice::alignment {

constexpr unsigned block_threads = 192;  // strip_warps, one warp that feeds them and one that forwards their results
constexpr unsigned ring_groups = 2 * epoch_steps;
constexpr unsigned lag = 31;  // steps that the last lane is behind the first
static_assert(lag < ring_groups);

__device__ inline int gap_cost(const WavefrontArguments& a, std::uint32_t length) {
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

// Makes a value that all lanes share known to the compiler as uniform, so branches and shuffles need no care.
__device__ inline unsigned uniform(unsigned value) { return __reduce_max_sync(~0u, value); }
__device__ inline bool any(bool value) { return __any_sync(~0u, value); }

// The state that the warps of a block share.
template <unsigned R>
struct StripBlock {
    Edge rings[strip_warps + 1][ring_groups * R];  // to the left of each strip, and to the right of the last
    Edge nothing[2 * R];                           // zeros: what all lanes but the first read from the left
    int best, stop;
    unsigned unit;
};

// A warp that moves down one strip.
template <bool local, unsigned R, unsigned C>
class Strip {
public:
    __device__ Strip(const WavefrontArguments& arguments, const WavefrontWork& pair, std::uint32_t strip,
                     StripBlock<R>& block, unsigned warp, int* table)
        : a(arguments), p(pair), strip_(uniform(strip)), lane_(threadIdx.x % 32), groups_(uniform(pair.groups)) {
        first_column_ = (strip * 32 + lane_) * C;
        sends_ = any((strip + 1) * 32 * C < p.n || p.egress != nullptr);
        ring_ = shared_address(block.rings[warp]);
        out_ring_ = shared_address(block.rings[warp + 1]);
        best_address_ = shared_address(&block.best);
        stop_address_ = shared_address(&block.stop);
        // All other lanes keep reading zeros.
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
    // Returns the places of the ring.
    __device__ void take_left() {
        if (lane_ == 0) {
#pragma unroll
            for (unsigned r = 0; r < 2 * R; r += 2) write_edges(in_ + r * sizeof(Edge), no_edge, no_edge);
        }
        in_ = in_base_ | ((in_ + 2 * R * sizeof(Edge)) & in_mask_);
    }
    // Waits until row group `group` of the ring to the right, one round ago, has been read. Groups are returned in
    // order: in_order() stands before the last group of an epoch there, and after it has been seen here.
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

    // Computes tiles of R x C cells from row group `group` on, lane l one step behind lane l - 1, until rows can be
    // skipped or the strip ends, with all lanes equally far. Returns false if another strip has reached stop_at.
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
        constexpr bool note_both = R * C <= 8;  // record both at once, if there are enough registers
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

    // One step; returns the largest cell.
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

    // Whether the tile of `step + later` has a better cell than any known, or the last cell of a global alignment.
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

    // The largest H from which the rows below can continue, except for the edge to the left.
    __device__ int top() const {
        int top = max(corner_, h_[0]);
#pragma unroll
        for (unsigned c = 1; c < C; ++c) top = max(top, h_[c]);
        return __reduce_max_sync(~0u, top);
    }

    // The largest possible increase of a score below row group `group`.
    __device__ long long gain(std::uint32_t group) const {
        const std::uint32_t row = group * R, column = strip_ * 32 * C;
        const std::uint32_t rows = row < p.m ? p.m - row : 0;
        return static_cast<long long>(uniform(min(rows, p.n - column + p.after))) * a.highest;
    }

    // Lanes are up to `lag` tiles above the group, so this is an estimate; skip() decides once they are level.
    __device__ bool may_skip(std::uint32_t group) const {
        const long long most = gain(group) + static_cast<int>(lag * R) * a.highest;
        return most <= limit_ && most + top() <= limit_;
    }

    // Skips epochs of rows that cannot hold anything better than the best known score, and sends zeros on instead. As
    // lower bounds, zeros keep score and end point correct.
    __device__ bool skip(std::uint32_t& group) {
        constexpr unsigned rows = epoch_steps * R;
        const Edge zero = edge_of(0, minus_first_);
        __syncwarp();  // lane 0 has read and lane 31 written what all lanes access now
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

    const WavefrontArguments& a;
    const WavefrontWork& p;
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
    int limit_ = 0;  // what a cell must exceed
    EndPoint best_{};
    std::uint32_t pruned_left_ = 0, pruned_right_ = 0;
};

}  // namespace sluice::alignment
