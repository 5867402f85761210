// The kernel of device_middle.cu, whose head says how pairs are laid out. Device code only.
#pragma once

#include <cstdint>

#include "gpu/cuda/hopper.cuh"
#include "gpu/operators/alignment/device_middle.hpp"
#include "gpu/operators/alignment/long_kernel.cuh"

namespace sluice::alignment {

using Word = std::uint32_t;

constexpr unsigned middle_warps = 4, middle_threads = 128;  // a warp for each quarter of a multiprocessor
constexpr unsigned middle_rows = 2;                         // rows of a tile, a group
constexpr unsigned slack = 32;        // row groups: lanes that wait or are done, and edges that nobody asked for
constexpr unsigned edge_bits = 10;    // of an edge, for the difference of H and E, or H and F
constexpr Word absent = 0x80000000u;  // instead of an edge that is not there yet

// What one of the two ways leaves at the cut, in its own coordinates: edges.
struct CutSide {
    Word* bottoms;  // [column]: H and F of the next row below the last row of the column's strip
    Word* corners;  // [strip]: the same left of the strip's first column
    Word* sides;    // [row]: H and E of the next column, right of the last strip that has the row
    Word* lefts;    // [strip]: the same left of the strip, in its last row
};

// One pair on the device.
struct DeviceMiddle::PairOnDevice {
    const Word* query;  // [slack + groups + 2 slack][middle_rows]: a byte of 1 for A, C, G, T; zeros beside the query
    const Word* text;   // [strips * 32 * C]: the letter's scores with A, C, G, T, a byte each
    Found* found;       // [2][strips], then [warps of the cluster]: where the ways meet
    CutSide cut[2];
    std::uint32_t query_words, m, n, groups, strips, top, slope;
    std::int32_t known_below, stop_at;

    // Row groups of a strip that the way down takes, a multiple of `steps`; no strip has more than the one before it.
    __host__ __device__ unsigned cut_at(unsigned strip, unsigned steps) const {
        const unsigned less = strip * slope;
        const unsigned rest = less < top ? top - less : 0;
        return (rest < groups ? rest : groups) / steps * steps;
    }
    // The same for the way up, whose first strip is the last one.
    __host__ __device__ unsigned groups_of(unsigned way, unsigned strip, unsigned steps) const {
        return way == 0 ? cut_at(strip, steps) : groups - cut_at(strips - 1 - strip, steps);
    }
};

struct MiddleArguments {
    const DeviceMiddle::PairOnDevice* pairs;
    int minus_first, minus_further;  // the costs of gaps
    std::uint32_t one;               // 1, which the compiler must not know: a multiplication by it stays one
};

// Words of shared memory, each part a multiple of four: the query, the rings left of four strips, what lanes but the
// first read from the left, the tile of each lane's best cell, and the best score of the pair so far.
struct MiddleLayout {
    unsigned ring, rings, nothing, tiles, best, words;
};
template <unsigned C, unsigned U>
__host__ __device__ constexpr MiddleLayout layout_of(unsigned groups) {
    MiddleLayout layout{};
    layout.rings = (groups + 3 * slack) * middle_rows;
    layout.ring = (groups + slack) * middle_rows;
    layout.nothing = layout.rings + middle_warps * layout.ring;
    layout.tiles = layout.nothing + (U + 4) * middle_rows;
    layout.best = layout.tiles + middle_threads * middle_rows * C;
    layout.words = layout.best + 4;
    return layout;
}

// In place of the best score: some cell has the score at which to stop.
constexpr int stopped = INT32_MAX;

__device__ inline unsigned cluster_rank() {
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
__device__ inline unsigned cluster_blocks() {
    unsigned blocks;
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
    return blocks;
}
__device__ inline void cluster_barrier() {
    __syncwarp();
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
// The address in another block's shared memory.
__device__ inline unsigned far_address(unsigned address, unsigned rank) {
    unsigned there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    return there;
}
__device__ inline void raise_far(unsigned address, int value) {
    asm volatile("red.relaxed.cluster.shared::cluster.max.s32 [%0], %1;" ::"r"(address), "r"(value));
}
// A pointer that reaches it.
__device__ inline std::uint64_t generic_address(unsigned far) {
    std::uint64_t pointer;
    asm volatile("{\n\t.reg .u64 wide;\n\tcvt.u64.u32 wide, %1;\n\tcvta.shared::cluster.u64 %0, wide;\n\t}"
                 : "=l"(pointer)
                 : "r"(far));
    return pointer;
}
// Edges are relaxed atomics, each of which says by itself whether it has arrived.
__device__ inline void read_words(unsigned address, Word& a, Word& b) {
    asm volatile("ld.relaxed.cluster.shared.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(address));
}
__device__ inline void write_four(unsigned address, Word a, Word b, Word c, Word d) {
    asm volatile("st.relaxed.cluster.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(a), "r"(b), "r"(c),
                 "r"(d));
}
__device__ inline void clear_words(unsigned address, Word a, Word b) {
    asm volatile("st.relaxed.cluster.shared.v2.u32 [%0], {%1, %2};" ::"r"(address), "r"(a), "r"(b));
}
__device__ inline void write_words(std::uint64_t pointer, Word a, Word b) {
    asm volatile("st.relaxed.cluster.v2.u32 [%0], {%1, %2};" ::"l"(pointer), "r"(a), "r"(b));
}

__device__ inline int read_best(unsigned address) {
    int value;
    asm volatile("ld.relaxed.cluster.shared.s32 %0, [%1];" : "=r"(value) : "r"(address));
    return value;
}
__device__ inline Word read_word(const Word* p) {
    Word word;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(word) : "l"(p));
    return word;
}

// H, and how much less E or F of the next cell is.
__device__ inline Word edge_word(int h, int next) { return static_cast<Word>(h * ((1 << edge_bits) + 1) - next); }

// A warp's way down one strip.
template <unsigned C, unsigned U, unsigned V>
class MiddleStrip {
public:
    __device__ MiddleStrip(const MiddleArguments& arguments, const DeviceMiddle::PairOnDevice& pair, unsigned shared,
                           unsigned way, unsigned strip, unsigned warp, unsigned rank, unsigned blocks)
        : a(arguments), p(pair), lane_(threadIdx.x % 32), way_(way), strip_(strip) {
        const MiddleLayout layout = layout_of<C, U>(p.groups);
        const unsigned rings = shared + layout.rings * sizeof(Word), ring_bytes = layout.ring * sizeof(Word);
        const bool first_lane = lane_ == 0;
        groups_ = p.groups_of(way, strip, U);
        passes_groups_ = strip + 1 < p.strips ? p.groups_of(way, strip + 1, U) : 0;
        reads_ = first_lane && strip > 0;
        sends_ = first_lane && strip + 1 < p.strips;
        query_ = shared + (slack - lane_) * group_bytes;
        in_ = reads_ ? rings + warp * ring_bytes + slack * group_bytes : shared + layout.nothing * sizeof(Word);
        in_step_ = reads_ ? V * group_bytes : 0;
        const bool near = warp + 1 < middle_warps;
        // The next block of the same way, or the first one.
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
        // Of the way up, rows and columns beside the pair come first and have nothing to note.
        row_end_ = way == 0 ? p.m : p.groups * middle_rows;
        column_end_ = way == 0 ? p.n : columns;
        tile_ = shared + (layout.tiles + threadIdx.x * middle_rows * C) * sizeof(Word);
        best_address_ = shared + layout.best * sizeof(Word);
        limit_ = read_best(best_address_);
        stop_at_ = p.stop_at;
        cluster_blocks_ = 2 * blocks;
    }

    // False: some cell has the score at which to stop.
    __device__ bool run() {
        const bool done = descend();
        report();
        return done;
    }

private:
    static constexpr unsigned group_bytes = middle_rows * sizeof(Word);
    static constexpr unsigned late = U > V ? 1 : 0;  // steps until a cell is noted
    using Cells = int[middle_rows][C];

    __device__ __forceinline__ bool descend() {
#pragma unroll
        for (unsigned c = 0; c < C; ++c) h_[c] = 0, f_[c] = minus_first_;
#pragma unroll
        for (unsigned r = 0; r < middle_rows; ++r) passed_[r] = 0;
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
        for (unsigned i = 0; i < V * middle_rows; ++i) left_[i / middle_rows][i % middle_rows] = 0;
        for (unsigned step = groups_; step < groups_ + slack; step += U) {
            if (!steps<false>(step, cells, most)) return false;
        }
        return true;
    }

    __device__ static __forceinline__ void read_step(unsigned address, Word (&words)[middle_rows]) {
        read_words(address, words[0], words[1]);
    }
    __device__ __forceinline__ void read_left() {
#pragma unroll
        for (unsigned v = 0; v < V; ++v) read_step(in_ + v * group_bytes, left_[v]);
    }
    __device__ __forceinline__ bool left_missing() const {
        Word missing = 0;
#pragma unroll
        for (unsigned i = 0; i < V * middle_rows; ++i) missing |= left_[i / middle_rows][i % middle_rows];
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

    // U steps. After every V of them all lanes look whether the left edges of the next V are there and whether one of
    // the V steps before the last had a cell to note: of these everything is known by then, and both are rare, so that
    // one question is enough. `fed`: there are rows whose left edge the first lane takes.
    template <bool fed>
    __device__ __forceinline__ bool steps(unsigned step, Cells (&cells)[U], int (&most)[U]) {
        limit_ = max(limit_, read_best(best_address_));
        Word corner = 0;
#pragma unroll
        for (unsigned u = 0; u < U; ++u) {
            Word next[middle_rows];
            read_step(query_ + (u + 1) * group_bytes, next);
            most[u] = tile<fed>(u, cells[u]);
#pragma unroll
            for (unsigned r = 0; r < middle_rows; ++r) letters_[r] = next[r];
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

    // The next strip ends here: of the rows below, the edges are where the ways meet. The last lane was done with the
    // row a step before the last.
    __device__ __forceinline__ void pass_by(Word corner) {
        if (strip_ + 1 == p.strips) return;
        out_ = reinterpret_cast<std::uint64_t>(p.cut[way_].sides + passes_groups_ * middle_rows);
        if (lane_ == 31) p.cut[way_].corners[strip_ + 1] = corner;
    }

    // What this lane has below its last row.
    __device__ __forceinline__ void write_bottom() const {
        static_assert(C % 4 == 0);
        uint4* const to = reinterpret_cast<uint4*>(p.cut[way_].bottoms + first_column_);
#pragma unroll
        for (unsigned c = 0; c < C; c += 4)
            to[c / 4] = {edge_word(h_[c], f_[c]), edge_word(h_[c + 1], f_[c + 1]), edge_word(h_[c + 2], f_[c + 2]),
                         edge_word(h_[c + 3], f_[c + 3])};
    }

    // One step; the largest cell.
    template <bool fed>
    __device__ __forceinline__ int tile(unsigned u, int (&cells)[middle_rows][C]) {
        // The first lane got the last one's edge of the step before.
        if (sends_) write_step(out_ + u * group_bytes);
        int left_h[middle_rows], left_e[middle_rows];
#pragma unroll
        for (unsigned r = 0; r < middle_rows; ++r) {
            const auto& left = left_[u % V];
            const int edge = multiply_add(static_cast<int>(passed_[r]), not_first_, static_cast<int>(left[r]));
            left_h[r] = static_cast<int>(static_cast<Word>(edge) >> edge_bits);
            left_e[r] = left_h[r] * ((1 << edge_bits) + 1) - edge;
            if (r == middle_rows - 1) last_left_ = static_cast<Word>(edge);
        }
        if (fed && u % V == V - 1) {
            // For the strip that comes here in the next round.
#pragma unroll
            for (unsigned v = 0; v < V; ++v) {
                if (reads_) clear_step(in_ + v * group_bytes);
            }
            in_ += in_step_;
            read_left();
        }
        int diagonal_left = corner_, most = 0, before = 0;
#pragma unroll
        for (unsigned r = 0; r < middle_rows; ++r) {
            int diagonal = diagonal_left, e = left_e[r];
            diagonal_left = left_h[r];
#pragma unroll
            for (unsigned c = 0; c < C; ++c) {
                const int d = __dp4a(text_[c], static_cast<int>(letters_[r]), diagonal);
                diagonal = h_[c];
                // A gap that goes on is never worse than one that ends and opens again: E needs the cell without E, so
                // that a row's only chain is one instruction a column.
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

    // Rare, but of sequences that are alike at every look while the strip has the best cell. Where in the tile that
    // cell is, report() says.
    __device__ __forceinline__ void note(unsigned step, int most, const int (&cells)[middle_rows][C]) {
        if (most > limit_) {
            best_ = limit_ = most;
            best_step_ = step;
#pragma unroll
            for (unsigned i = 0; i < middle_rows * C; i += 4) {
                const auto cell = [&](unsigned k) { return static_cast<Word>(cells[(i + k) / C][(i + k) % C]); };
                write_four(tile_ + i * sizeof(Word), cell(0), cell(1), cell(2), cell(3));
            }
        }
    }
    // All blocks of the cluster.
    __device__ __forceinline__ void tell() {
        const int best = __reduce_max_sync(~0u, best_);
        if (lane_ < cluster_blocks_) raise_far(far_address(best_address_, lane_), best >= stop_at_ ? stopped : best);
    }

    // Cells beside the pair may have what a cell of the pair had before them, and don't count: whoever noted that one
    // says where it is.
    __device__ void report() const {
        const std::uint32_t row = (best_step_ - lane_) * middle_rows;
        unsigned place = 0;
        for (unsigned i = 0; i < middle_rows * C; ++i) {
            const bool here = read_int(tile_ + i * sizeof(Word)) == best_ && row + i / C < row_end_ &&
                              first_column_ + i % C < column_end_;
            place = here ? i + 1 : place;
        }
        const int best = place != 0 ? best_ : 0;
        const int top = __reduce_max_sync(~0u, best);
        const unsigned who = __ballot_sync(~0u, best == top);
        if (lane_ != static_cast<unsigned>(__ffs(static_cast<int>(who)) - 1)) return;
        DeviceMiddle::Found found{};
        if (top > 0) found = {top, row + (place - 1) / C + 1, first_column_ + (place - 1) % C + 1, 0, 0};
        p.found[way_ * p.strips + strip_] = found;
    }

    const MiddleArguments& a;
    const DeviceMiddle::PairOnDevice& p;
    unsigned lane_, way_, strip_, groups_, passes_groups_, cluster_blocks_;
    unsigned query_, in_, in_step_, tile_, best_address_, before_;
    std::uint64_t out_;
    bool reads_, sends_;
    std::uint32_t not_first_, first_column_, row_end_, column_end_;
    int minus_first_;
    int text_[C];
    Word letters_[middle_rows], left_[V][middle_rows], last_left_ = 0;
    int h_[C], f_[C], corner_ = 0;
    Word passed_[middle_rows];
    int limit_, stop_at_;  // what a cell has to exceed, and what ends all
    int best_ = 0;         // of this lane, and the step that found it
    unsigned best_step_ = 0;
};

// The best alignment through a place where the ways meet: what both have there, without or within a gap.
struct Crossing {
    const MiddleArguments& a;
    const DeviceMiddle::PairOnDevice& p;
    DeviceMiddle::Found best{};

    __device__ void look(Word down, Word up, unsigned row, unsigned column) {
        const int down_h = static_cast<int>(down >> edge_bits), up_h = static_cast<int>(up >> edge_bits);
        constexpr Word mask = (1u << edge_bits) - 1;
        const int in_gap =
            -a.minus_first - a.minus_further - static_cast<int>(down & mask) - static_cast<int>(up & mask);
        const int score = down_h + up_h + max(0, in_gap);
        // What has nothing on one side, a way found by itself.
        if (min(down_h, up_h) > 0 && score > best.score) best = {score, row, column, up_h, in_gap > 0 ? 1u : 0u};
    }

    // The row below a strip, a lane for each 32nd place of it.
    template <unsigned C, unsigned U>
    __device__ void below(unsigned strip, unsigned lane) {
        constexpr unsigned width = 32 * C;
        const unsigned groups = p.cut_at(strip, U), columns = p.strips * width, strip_up = p.strips - 1 - strip;
        if (groups == 0 || groups == p.groups) return;
        for (unsigned x = lane; x <= width; x += 32) {
            const unsigned column = strip * width + x;
            if (column == 0 || column == columns) continue;
            const Word* const down = x == 0 ? p.cut[0].corners + strip : p.cut[0].bottoms + column - 1;
            const Word* const up = x == width ? p.cut[1].corners + strip_up : p.cut[1].bottoms + columns - column - 1;
            look(read_word(down), read_word(up), groups * middle_rows, column);
        }
    }

    // The column right of a strip, from where the next one ends to where it ends.
    template <unsigned C, unsigned U>
    __device__ void right_of(unsigned strip, unsigned lane) {
        const unsigned first = p.cut_at(strip + 1, U) * middle_rows, last = p.cut_at(strip, U) * middle_rows,
                       rows = p.groups * middle_rows;
        for (unsigned row = first + lane; row <= last; row += 32) {
            if (row == 0 || row == rows) continue;
            const Word* const down = row == first ? p.cut[0].lefts + strip + 1 : p.cut[0].sides + row - 1;
            const Word* const up =
                row == last ? p.cut[1].lefts + p.strips - 1 - strip : p.cut[1].sides + rows - row - 1;
            look(read_word(down), read_word(up), row, (strip + 1) * 32 * C);
        }
    }
};

// What shared memory holds at first: the query, turned for the way up, and no edges.
__device__ inline void fill(uint4* fours, const MiddleLayout& layout, const DeviceMiddle::PairOnDevice& p,
                            unsigned way) {
    const unsigned query_fours = p.query_words / 4;
    const uint4* const query = reinterpret_cast<const uint4*>(p.query);
    for (unsigned i = threadIdx.x; i < layout.rings / 4; i += middle_threads) {
        uint4 four{};
        if (i < query_fours) four = query[way == 0 ? i : query_fours - 1 - i];
        fours[i] = way == 0 ? four : uint4{four.w, four.z, four.y, four.x};
    }
    constexpr uint4 nothing_yet = {absent, absent, absent, absent};
    for (unsigned i = layout.rings / 4 + threadIdx.x; i < layout.nothing / 4; i += middle_threads)
        fours[i] = nothing_yet;
    for (unsigned i = layout.nothing / 4 + threadIdx.x; i < layout.tiles / 4; i += middle_threads) fours[i] = {};
}

template <unsigned C, unsigned U, unsigned V>
__global__ void __launch_bounds__(middle_threads, 1) middle_kernel(const MiddleArguments a) {
#if SLUICE_HOPPER  // others have no clusters
    extern __shared__ uint4 middle_words[];
    const unsigned blocks = cluster_blocks() / 2, warp = uniform(threadIdx.x / 32);
    const unsigned way = cluster_rank() / blocks, rank = cluster_rank() % blocks;
    const DeviceMiddle::PairOnDevice& p = a.pairs[blockIdx.x / (2 * blocks)];
    const MiddleLayout layout = layout_of<C, U>(p.groups);
    Word* const words = reinterpret_cast<Word*>(middle_words);
    fill(middle_words, layout, p, way);
    if (threadIdx.x == 0) words[layout.best] = static_cast<Word>(p.known_below);
    cluster_barrier();
    for (unsigned strip = rank * middle_warps + warp; strip < uniform(p.strips); strip += blocks * middle_warps) {
        if (p.groups_of(way, strip, U) == 0) continue;
        if (!MiddleStrip<C, U, V>(a, p, shared_address(words), way, strip, warp, rank, blocks).run()) break;
    }
    cluster_barrier();  // others write here until they are done
    const unsigned lane = threadIdx.x % 32, warps = 2 * blocks * middle_warps;
    const unsigned who = cluster_rank() * middle_warps + warp;
    Crossing crossing{a, p};
    if (static_cast<int>(words[layout.best]) != stopped) {
        for (unsigned strip = who; strip < p.strips; strip += warps) crossing.below<C, U>(strip, lane);
        for (unsigned strip = warps - 1 - who; strip + 1 < p.strips; strip += warps)
            crossing.right_of<C, U>(strip, lane);
    }
    const int top = __reduce_max_sync(~0u, crossing.best.score);
    const unsigned lanes = __ballot_sync(~0u, crossing.best.score == top);
    if (lane == static_cast<unsigned>(__ffs(static_cast<int>(lanes)) - 1)) p.found[2 * p.strips + who] = crossing.best;
#else
    static_cast<void>(a);
#endif
}

}  // namespace sluice::alignment
