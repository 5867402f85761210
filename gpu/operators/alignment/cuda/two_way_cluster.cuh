// What the blocks of a cluster share while they align a pair from both ends: the pair, the layout of shared memory, and
// the access of one block to another's. The head of two_way_aligner.cu describes the layout of pairs. `way` is the
// direction: 0 down, 1 up. Device code only.
#pragma once

#include <cstdint>

#include "gpu/device/hopper.cuh"
#include "gpu/operators/alignment/cuda/two_way_found.hpp"
#include "gpu/operators/alignment/cuda/wavefront_strip.cuh"

namespace sluice::alignment {

using Word = std::uint32_t;

constexpr unsigned two_way_warps = 4, two_way_threads = 128;  // one warp for each quarter of a multiprocessor
constexpr unsigned two_way_rows = 2;                          // rows of a tile, called a group
constexpr unsigned slack = 32;        // row groups: for lanes that wait or are done, and for unused edges
constexpr unsigned edge_bits = 10;    // of an edge: the difference of H and E, or of H and F
constexpr Word absent = 0x80000000u;  // in place of an edge that has not arrived

// The edges that one direction leaves at the cut, in its own coordinates.
struct CutSide {
    Word* bottoms;  // [column]: H and F of the next row, below the last row of the column's strip
    Word* corners;  // [strip]: the same to the left of the strip's first column
    Word* sides;    // [row]: H and E of the next column, to the right of the last strip that has the row
    Word* lefts;    // [strip]: the same to the left of the strip, in its last row
};

// One pair on the device.
struct TwoWayPair {
    const Word* query;   // [slack + groups + 2 slack][two_way_rows]: a byte of 1 for A, C, G, T; zeros beside the query
    const Word* text;    // [strips * 32 * C]: the letter's scores with A, C, G, T, a byte each
    TwoWayFound* found;  // [2][strips], then [warps of the cluster]: where the directions meet
    CutSide cut[2];
    std::uint32_t query_words, m, n, groups, strips, top, slope;
    std::int32_t known_below, stop_at;

    // The row groups of a strip that the downward direction takes, a multiple of `steps`; at most those of the strip
    // before.
    __host__ __device__ unsigned cut_at(unsigned strip, unsigned steps) const {
        const unsigned less = strip * slope;
        const unsigned rest = less < top ? top - less : 0;
        return (rest < groups ? rest : groups) / steps * steps;
    }
    // The same for either direction; the first strip of the upward direction is the last one of the pair.
    __host__ __device__ unsigned groups_of(unsigned way, unsigned strip, unsigned steps) const {
        return way == 0 ? cut_at(strip, steps) : groups - cut_at(strips - 1 - strip, steps);
    }
};

struct TwoWayArguments {
    const TwoWayPair* pairs;
    int minus_first, minus_further;  // the negated gap costs
    std::uint32_t one;               // 1, hidden from the compiler: a multiplication by it stays one
};

// Offsets in words of shared memory, each a multiple of four: the query (at 0), the rings to the left of four strips,
// what all lanes but the first read from the left, the tile of each lane's best cell, and the best score of the pair so
// far.
struct TwoWayLayout {
    unsigned ring, rings, nothing, tiles, best, words;
};
template <unsigned C, unsigned U>
__host__ __device__ constexpr TwoWayLayout layout_of(unsigned groups) {
    TwoWayLayout layout{};
    layout.rings = (groups + 3 * slack) * two_way_rows;
    layout.ring = (groups + slack) * two_way_rows;
    layout.nothing = layout.rings + two_way_warps * layout.ring;
    layout.tiles = layout.nothing + (U + 4) * two_way_rows;
    layout.best = layout.tiles + two_way_threads * two_way_rows * C;
    layout.words = layout.best + 4;
    return layout;
}

// Replaces the best score once some cell has the score at which to stop.
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
// The corresponding address in another block's shared memory.
__device__ inline unsigned far_address(unsigned address, unsigned rank) {
    unsigned there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    return there;
}
__device__ inline void raise_far(unsigned address, int value) {
    asm volatile("red.relaxed.cluster.shared::cluster.max.s32 [%0], %1;" ::"r"(address), "r"(value));
}
// A generic pointer to an address in the cluster's shared memory.
__device__ inline std::uint64_t generic_address(unsigned far) {
    std::uint64_t pointer;
    asm volatile("{\n\t.reg .u64 wide;\n\tcvt.u64.u32 wide, %1;\n\tcvta.shared::cluster.u64 %0, wide;\n\t}"
                 : "=l"(pointer)
                 : "r"(far));
    return pointer;
}
// Edges are relaxed atomics; the value itself shows whether it has arrived.
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

// H, and in the lower edge_bits the difference of H and E or F of the next cell.
__device__ inline Word edge_word(int h, int next) { return static_cast<Word>(h * ((1 << edge_bits) + 1) - next); }

}  // namespace sluice::alignment
