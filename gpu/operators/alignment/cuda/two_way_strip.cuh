// One warp's work on a strip of a pair that is aligned from both ends. Device code only.
#pragma once

#include <cstdint>

#include "gpu/operators/alignment/cuda/two_way_cluster.cuh"

namespace sluice::alignment {

// A warp that moves down one strip.
template <unsigned C, unsigned U, unsigned V>
class TwoWayStrip {
public:
    __device__ TwoWayStrip(const TwoWayArguments& arguments, const TwoWayPair& pair, unsigned shared, unsigned way,
                           unsigned strip, unsigned warp, unsigned rank, unsigned blocks)
        : a(arguments), p(pair), lane_(threadIdx.x % 32), way_(way), strip_(strip) {
        const TwoWayLayout layout = layout_of<C, U>(p.groups);
        const unsigned rings = shared + layout.rings * sizeof(Word), ring_bytes = layout.ring * sizeof(Word);
        const bool first_lane = lane_ == 0;
        groups_ = p.groups_of(way, strip, U);
        passes_groups_ = strip + 1 < p.strips ? p.groups_of(way, strip + 1, U) : 0;
        reads_ = first_lane && strip > 0;
        sends_ = first_lane && strip + 1 < p.strips;
        query_ = shared + (slack - lane_) * group_bytes;
        in_ = reads_ ? rings + warp * ring_bytes + slack * group_bytes : shared + layout.nothing * sizeof(Word);
        in_step_ = reads_ ? V * group_bytes : 0;
        const bool near = warp + 1 < two_way_warps;
        // The next block of the same direction, or the first one after the last.
        const unsigned next = way * blocks + (rank + 1) % blocks, here = way * blocks + rank;
        out_ = generic_address(far_address(near ? rings + (warp + 1) * ring_bytes : rings, near ? here : next));
        before_ = (lane_ + 31) % 32;
        not_first_ = first_lane ? 0 : 1;
        minus_first_ = a.minus_first;
        first_column_ = (strip * 32 + lane_) * C;
        const unsigned columns = p.strips * 32 * C;
#pragma unroll
        for (unsigned c = 0; c < C; ++c) {
            const unsigned column = first_column_ + c;
            text_[c] = static_cast<int>(p.text[way == 0 ? column : columns - 1 - column]);
        }
        // In the upward direction, rows and columns outside the pair come first and have nothing to record.
        row_end_ = way == 0 ? p.m : p.groups * two_way_rows;
        column_end_ = way == 0 ? p.n : columns;
        tile_ = shared + (layout.tiles + threadIdx.x * two_way_rows * C) * sizeof(Word);
        best_address_ = shared + layout.best * sizeof(Word);
        limit_ = read_best(best_address_);
        stop_at_ = p.stop_at;
        cluster_blocks_ = 2 * blocks;
    }

    // Returns false once some cell has the score at which to stop.
    __device__ bool run() {
        const bool done = descend();
        report();
        return done;
    }

private:
    static constexpr unsigned group_bytes = two_way_rows * sizeof(Word);
    static constexpr unsigned late = U > V ? 1 : 0;  // steps until a cell is recorded
    using Cells = int[two_way_rows][C];

    __device__ __forceinline__ bool descend() {
#pragma unroll
        for (unsigned c = 0; c < C; ++c) h_[c] = 0, f_[c] = minus_first_;
#pragma unroll
        for (unsigned r = 0; r < two_way_rows; ++r) passed_[r] = 0;
        read_step(query_, letters_);
        read_left();
        if (!await_left()) return false;
        Cells cells[U];
        int most[U] = {};
        for (unsigned step = 0; step < groups_; step += U) {
            if (!steps<true>(step, cells, most)) return false;
        }
        if (lane_ == 0) {
            write_bottom();
            p.cut[way_].lefts[strip_] = last_left_;
        }
#pragma unroll
        for (unsigned i = 0; i < V * two_way_rows; ++i) left_[i / two_way_rows][i % two_way_rows] = 0;
        for (unsigned step = groups_; step < groups_ + slack; step += U) {
            if (!steps<false>(step, cells, most)) return false;
        }
        return true;
    }

    __device__ static __forceinline__ void read_step(unsigned address, Word (&words)[two_way_rows]) {
        read_words(address, words[0], words[1]);
    }
    __device__ __forceinline__ void read_left() {
#pragma unroll
        for (unsigned v = 0; v < V; ++v) read_step(in_ + v * group_bytes, left_[v]);
    }
    __device__ __forceinline__ bool left_missing() const {
        Word missing = 0;
#pragma unroll
        for (unsigned i = 0; i < V * two_way_rows; ++i) missing |= left_[i / two_way_rows][i % two_way_rows];
        return static_cast<int>(missing) < 0;
    }
    __device__ __forceinline__ bool await_left() {
        for (unsigned spins = 0; any(left_missing());) {
            if (any(limit_ == stopped)) return false;
            SLUICE_SPIN(spins);
            read_left();
            limit_ = max(limit_, read_best(best_address_));
        }
        return true;
    }

    // U steps. After every V of them, all lanes vote on one question: are left edges of the next V steps missing, or
    // did a recent step have a cell to record? The cells of the V steps before the last are known by then, and both
    // cases are rare, so one vote is enough. `fed`: there are rows whose left edge the first lane takes.
    template <bool fed>
    __device__ __forceinline__ bool steps(unsigned step, Cells (&cells)[U], int (&most)[U]) {
        limit_ = max(limit_, read_best(best_address_));
        Word corner = 0;
#pragma unroll
        for (unsigned u = 0; u < U; ++u) {
            Word next[two_way_rows];
            read_step(query_ + (u + 1) * group_bytes, next);
            most[u] = tile<fed>(u, cells[u]);
#pragma unroll
            for (unsigned r = 0; r < two_way_rows; ++r) letters_[r] = next[r];
            if (!fed && lane_ == step + u + 1 - groups_) write_bottom();
            if (u == U - 2) corner = edge_word(h_[C - 1], f_[C - 1]);
            if (u % V != V - 1) continue;
            int largest = most[(u + U - late) % U];
#pragma unroll
            for (unsigned v = 1; v < V; ++v) largest = max(largest, most[(u + U - late - v) % U]);
            const bool goes_on = fed && step + u + 1 < groups_;
            const bool asks = (largest > limit_) | (goes_on & left_missing()) | (u == U - 1 && limit_ == stopped);
            if (__builtin_expect(any(asks), false)) {
                limit_ = max(limit_, read_best(best_address_));
                if (any(limit_ == stopped)) return false;
                const int before = best_;
#pragma unroll
                for (unsigned v = late + V; v-- > late;)
                    note(step + u - v, most[(u + U - v) % U], cells[(u + U - v) % U]);
                if (any(best_ > before)) tell();
                if (goes_on && !await_left()) return false;
            }
        }
        query_ += U * group_bytes;
        out_ += U * group_bytes;
        if (step + U == passes_groups_ + slack) pass_by(corner);
        return true;
    }

    // The next strip ends here: in the rows below, the edges are part of the cut. The last lane finished the row a step
    // before the last.
    __device__ __forceinline__ void pass_by(Word corner) {
        if (strip_ + 1 == p.strips) return;
        out_ = reinterpret_cast<std::uint64_t>(p.cut[way_].sides + passes_groups_ * two_way_rows);
        if (lane_ == 31) p.cut[way_].corners[strip_ + 1] = corner;
    }

    // Writes the edges below this lane's last row.
    __device__ __forceinline__ void write_bottom() const {
        static_assert(C % 4 == 0);
        uint4* const to = reinterpret_cast<uint4*>(p.cut[way_].bottoms + first_column_);
#pragma unroll
        for (unsigned c = 0; c < C; c += 4)
            to[c / 4] = {edge_word(h_[c], f_[c]), edge_word(h_[c + 1], f_[c + 1]), edge_word(h_[c + 2], f_[c + 2]),
                         edge_word(h_[c + 3], f_[c + 3])};
    }

    // One step; returns the largest cell.
    template <bool fed>
    __device__ __forceinline__ int tile(unsigned u, int (&cells)[two_way_rows][C]) {
        // The first lane got the last lane's edge of the step before.
        if (sends_) write_step(out_ + u * group_bytes);
        int left_h[two_way_rows], left_e[two_way_rows];
#pragma unroll
        for (unsigned r = 0; r < two_way_rows; ++r) {
            const auto& left = left_[u % V];
            const int edge = multiply_add(static_cast<int>(passed_[r]), not_first_, static_cast<int>(left[r]));
            left_h[r] = static_cast<int>(static_cast<Word>(edge) >> edge_bits);
            left_e[r] = left_h[r] * ((1 << edge_bits) + 1) - edge;
            if (r == two_way_rows - 1) last_left_ = static_cast<Word>(edge);
        }
        if (fed && u % V == V - 1) {
            // For the strip that uses this ring in the next round.
#pragma unroll
            for (unsigned v = 0; v < V; ++v) {
                if (reads_) clear_step(in_ + v * group_bytes);
            }
            in_ += in_step_;
            read_left();
        }
        int diagonal_left = corner_, most = 0, before = 0;
#pragma unroll
        for (unsigned r = 0; r < two_way_rows; ++r) {
            int diagonal = diagonal_left, e = left_e[r];
            diagonal_left = left_h[r];
#pragma unroll
            for (unsigned c = 0; c < C; ++c) {
                const int d = __dp4a(text_[c], static_cast<int>(letters_[r]), diagonal);
                diagonal = h_[c];
                // A gap that continues is never worse than one that ends and opens again. E is made from the cell
                // without E, so a row's only dependency chain is one instruction per column.
                const int without_e = __vimax_s32_relu(d, f_[c]);
                const int cell = max(without_e, e);
                e = __viaddmax_s32(e, a.minus_further, multiply_add(without_e, a.one, minus_first_));
                f_[c] = __viaddmax_s32(f_[c], a.minus_further, multiply_add(cell, a.one, minus_first_));
                h_[c] = cells[r][c] = cell;
                if ((r * C + c) % 2 == 1) most = __vimax3_s32(most, before, cell);
                before = cell;
            }
            const Word edge = edge_word(h_[C - 1], e);
            passed_[r] = __shfl_sync(~0u, edge, static_cast<int>(before_));
        }
        corner_ = diagonal_left;
        return most;
    }

    __device__ __forceinline__ void write_step(std::uint64_t pointer) const {
        write_words(pointer, passed_[0], passed_[1]);
    }
    __device__ __forceinline__ void clear_step(unsigned address) const { clear_words(address, absent, absent); }

    // Rare, except that similar sequences reach it at every vote while the strip has the best cell. report() finds that
    // cell's place in the tile.
    __device__ __forceinline__ void note(unsigned step, int most, const int (&cells)[two_way_rows][C]) {
        if (most > limit_) {
            best_ = limit_ = most;
            best_step_ = step;
#pragma unroll
            for (unsigned i = 0; i < two_way_rows * C; i += 4) {
                const auto cell = [&](unsigned k) { return static_cast<Word>(cells[(i + k) / C][(i + k) % C]); };
                write_four(tile_ + i * sizeof(Word), cell(0), cell(1), cell(2), cell(3));
            }
        }
    }
    // Publishes the best score to all blocks of the cluster.
    __device__ __forceinline__ void tell() {
        const int best = __reduce_max_sync(~0u, best_);
        if (lane_ < cluster_blocks_) raise_far(far_address(best_address_, lane_), best >= stop_at_ ? stopped : best);
    }

    // A cell outside the pair may repeat the value of an earlier cell of the pair. It does not count: the lane that
    // recorded the earlier cell reports it.
    __device__ void report() const {
        const std::uint32_t row = (best_step_ - lane_) * two_way_rows;
        unsigned place = 0;
        for (unsigned i = 0; i < two_way_rows * C; ++i) {
            const bool here = read_int(tile_ + i * sizeof(Word)) == best_ && row + i / C < row_end_ &&
                              first_column_ + i % C < column_end_;
            place = here ? i + 1 : place;
        }
        const int best = place != 0 ? best_ : 0;
        const int top = __reduce_max_sync(~0u, best);
        const unsigned who = __ballot_sync(~0u, best == top);
        if (lane_ != static_cast<unsigned>(__ffs(static_cast<int>(who)) - 1)) return;
        TwoWayFound found{};
        if (top > 0) found = {top, row + (place - 1) / C + 1, first_column_ + (place - 1) % C + 1, 0, 0};
        p.found[way_ * p.strips + strip_] = found;
    }

    const TwoWayArguments& a;
    const TwoWayPair& p;
    unsigned lane_, way_, strip_, groups_, passes_groups_, cluster_blocks_;
    unsigned query_, in_, in_step_, tile_, best_address_, before_;
    std::uint64_t out_;
    bool reads_, sends_;
    std::uint32_t not_first_, first_column_, row_end_, column_end_;
    int minus_first_;
    int text_[C];
    Word letters_[two_way_rows], left_[V][two_way_rows], last_left_ = 0;
    int h_[C], f_[C], corner_ = 0;
    Word passed_[two_way_rows];
    int limit_, stop_at_;  // what a cell must exceed, and what ends the work
    int best_ = 0;         // of this lane; best_step_ is the step that found it
    unsigned best_step_ = 0;
};

}  // namespace sluice::alignment
