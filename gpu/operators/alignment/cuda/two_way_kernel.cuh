// The kernel of two_way_aligner.cu, whose head describes the layout of pairs. Device code only.
#pragma once

#include <cstdint>

#include "gpu/operators/alignment/cuda/two_way_strip.cuh"

namespace sluice::alignment {

// Finds the best alignment through the cut: at each place, the sum of both directions, outside or within a gap.
struct Crossing {
    const TwoWayArguments& a;
    const TwoWayPair& p;
    TwoWayFound best{};

    __device__ void look(Word down, Word up, unsigned row, unsigned column) {
        const int down_h = static_cast<int>(down >> edge_bits), up_h = static_cast<int>(up >> edge_bits);
        constexpr Word mask = (1u << edge_bits) - 1;
        const int in_gap =
            -a.minus_first - a.minus_further - static_cast<int>(down & mask) - static_cast<int>(up & mask);
        const int score = down_h + up_h + max(0, in_gap);
        // If one side has nothing, the other direction found the alignment alone.
        if (min(down_h, up_h) > 0 && score > best.score) best = {score, row, column, up_h, in_gap > 0 ? 1u : 0u};
    }

    // The row below a strip; each lane takes every 32nd place.
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
            look(read_word(down), read_word(up), groups * two_way_rows, column);
        }
    }

    // The column to the right of a strip, from where the next strip ends to where this one ends.
    template <unsigned C, unsigned U>
    __device__ void right_of(unsigned strip, unsigned lane) {
        const unsigned first = p.cut_at(strip + 1, U) * two_way_rows, last = p.cut_at(strip, U) * two_way_rows,
                       rows = p.groups * two_way_rows;
        for (unsigned row = first + lane; row <= last; row += 32) {
            if (row == 0 || row == rows) continue;
            const Word* const down = row == first ? p.cut[0].lefts + strip + 1 : p.cut[0].sides + row - 1;
            const Word* const up =
                row == last ? p.cut[1].lefts + p.strips - 1 - strip : p.cut[1].sides + rows - row - 1;
            look(read_word(down), read_word(up), row, (strip + 1) * 32 * C);
        }
    }
};

// Initialises shared memory: the query, reversed for the upward direction, and no edges.
__device__ inline void fill(uint4* fours, const TwoWayLayout& layout, const TwoWayPair& p, unsigned way) {
    const unsigned query_fours = p.query_words / 4;
    const uint4* const query = reinterpret_cast<const uint4*>(p.query);
    for (unsigned i = threadIdx.x; i < layout.rings / 4; i += two_way_threads) {
        uint4 four{};
        if (i < query_fours) four = query[way == 0 ? i : query_fours - 1 - i];
        fours[i] = way == 0 ? four : uint4{four.w, four.z, four.y, four.x};
    }
    constexpr uint4 nothing_yet = {absent, absent, absent, absent};
    for (unsigned i = layout.rings / 4 + threadIdx.x; i < layout.nothing / 4; i += two_way_threads)
        fours[i] = nothing_yet;
    for (unsigned i = layout.nothing / 4 + threadIdx.x; i < layout.tiles / 4; i += two_way_threads) fours[i] = {};
}

template <unsigned C, unsigned U, unsigned V>
__global__ void __launch_bounds__(two_way_threads, 1) two_way_kernel(const TwoWayArguments a) {
#if SLUICE_HOPPER  // other devices have no clusters
    extern __shared__ uint4 two_way_words[];
    const unsigned blocks = cluster_blocks() / 2, warp = uniform(threadIdx.x / 32);
    const unsigned way = cluster_rank() / blocks, rank = cluster_rank() % blocks;
    const TwoWayPair& p = a.pairs[blockIdx.x / (2 * blocks)];
    const TwoWayLayout layout = layout_of<C, U>(p.groups);
    Word* const words = reinterpret_cast<Word*>(two_way_words);
    fill(two_way_words, layout, p, way);
    if (threadIdx.x == 0) words[layout.best] = static_cast<Word>(p.known_below);
    cluster_barrier();
    for (unsigned strip = rank * two_way_warps + warp; strip < uniform(p.strips); strip += blocks * two_way_warps) {
        if (p.groups_of(way, strip, U) == 0) continue;
        if (!TwoWayStrip<C, U, V>(a, p, shared_address(words), way, strip, warp, rank, blocks).run()) break;
    }
    cluster_barrier();  // other blocks write here until they are done
    const unsigned lane = threadIdx.x % 32, warps = 2 * blocks * two_way_warps;
    const unsigned who = cluster_rank() * two_way_warps + warp;
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
