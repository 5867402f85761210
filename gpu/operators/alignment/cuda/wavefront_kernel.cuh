// The kernel of wavefront_aligner.cu, whose head describes the layout of pairs. Device code only.
#pragma once

#include <cstdint>

#include "gpu/operators/alignment/cuda/wavefront_strip.cuh"

namespace sluice::alignment {

// Copies edges from the bus to the first strip's ring, 32 rows at a time, and exchanges the best score with the pair.
template <bool local, unsigned R>
__device__ void feed(const WavefrontArguments& a, const WavefrontWork& p, std::uint32_t block_strip,
                     StripBlock<R>& block) {
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

// Copies the last strip's ring to the bus.
template <unsigned R>
__device__ void send_on(const WavefrontArguments& a, const WavefrontWork& p, std::uint32_t block_strip,
                        StripBlock<R>& block) {
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

// `blocks` blocks share a multiprocessor; 0: as many as its registers allow.
template <bool local, unsigned R, unsigned C, unsigned blocks>
__global__ void __launch_bounds__(block_threads, blocks) wavefront_kernel(const WavefrontArguments a) {
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
        const WavefrontWork p = a.work[a.unit_work[block.unit]];
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
