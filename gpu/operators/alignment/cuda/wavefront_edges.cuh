// How strips hand edges to each other, in rings in shared memory and on the bus in device memory, and how the best
// known score is shared. Device code only.
//
// Why this is correct. All accesses are relaxed atomics of 8 or 4 bytes, and nothing is handed over except the values
// themselves: a thread that reads an edge has it, and needs no other access to be ordered before or after. All that
// matters is the order of the accesses to one location, on which all threads agree (coherence). For a place of a ring:
// * Only the strip to its left fills it, after seeing it empty, and only the strip to its right empties it, after
//   seeing it full. Each waits for the other's change, so they alternate and no edge is lost.
// * A warp that computes tiles checks the places of one row group for all 16: those of the last, before which all the
//   others were emptied. in_order() ensures this order of different places. In the strip that empties them it stands
//   between the two (a release); in the strip that fills them, after they have been seen empty (an acquire).
// * Within a warp, lane 31 fills and lane 0 empties places while lanes compute tiles. While rows are skipped, all lanes
//   do, one place each. Where one lane reads and then another reads or writes, __syncwarp() stands between.
// For row r of the bus, block b writes either its result from what it read there, or zeros after reading it; block b +
// 1 waits for exactly that, by its number. So a row is not overwritten before it has been read, although nothing checks
// this. It also holds across devices, since block b + 2 can have nothing to write before b + 1 has written. Adjacent
// values (v2) are separate atomics, in any order. A best score is only ever a bound, and an old one remains valid.
//
// compute-sanitizer's racecheck still reports these accesses: it treats loads and stores of shared memory as races
// unless a barrier separates them. With the same loads and stores compiled as read-modify-write atomics (atom.or with
// 0, atom.exch), which it does not treat as races, it finds nothing in the kernel. Acquire loads and release stores in
// their place take 6 % longer, the fences of in_order() 0.8 %.
#pragma once

#include <cstdint>

#include "gpu/operators/alignment/cuda/wavefront_launch.hpp"

namespace sluice::alignment {

__device__ inline unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

// Edges in shared memory.
constexpr Edge no_edge = 0x80000000u;
__device__ inline int h_of(Edge edge) { return static_cast<int>(edge); }
__device__ inline int e_of(Edge edge) { return static_cast<int>(edge >> 32); }
__device__ inline Edge edge_of(int h, int e) {
    return static_cast<std::uint32_t>(h) | static_cast<Edge>(static_cast<std::uint32_t>(e)) << 32;
}
__device__ inline bool arrived(Edge edge) { return h_of(edge) != h_of(no_edge); }
__device__ inline Edge read_edge(unsigned address) {
    Edge edge;
    asm volatile("ld.relaxed.cta.shared.u64 %0, [%1];" : "=l"(edge) : "r"(address));
    return edge;
}
__device__ inline void read_edges(unsigned address, Edge& a, Edge& b) {
    asm volatile("ld.relaxed.cta.shared.v2.u64 {%0, %1}, [%2];" : "=l"(a), "=l"(b) : "r"(address));
}
__device__ inline void write_edge(unsigned address, Edge edge) {
    asm volatile("st.relaxed.cta.shared.u64 [%0], %1;" ::"r"(address), "l"(edge));
}
__device__ inline void write_edges(unsigned address, Edge a, Edge b) {
    asm volatile("st.relaxed.cta.shared.v2.u64 [%0], {%1, %2};" ::"r"(address), "l"(a), "l"(b));
}
__device__ inline int read_int(unsigned address) {
    int value;
    asm volatile("ld.relaxed.cta.shared.s32 %0, [%1];" : "=r"(value) : "r"(address));
    return value;
}

__device__ inline void raise_int(unsigned address, int value) {
    asm volatile("red.relaxed.cta.shared.max.s32 [%0], %1;" ::"r"(address), "r"(value));
}

// Orders what the warp did to shared memory before it ahead of what it does after, for any thread that sees the latter
// and also calls in_order().
__device__ inline void in_order() {
    __syncwarp();
    asm volatile("fence.acq_rel.cta;" ::: "memory");
}

// Edges in device memory: H, the difference of H and E, and the number of the block of strips that it is for.
__device__ inline Edge read_bus(const Edge* p) {
    Edge edge;
    asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(edge) : "l"(p));
    return edge;
}
__device__ inline void write_bus(Edge* p, Edge edge) {
    asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(p), "l"(edge));
}
__device__ inline bool is_for(Edge on_bus, std::uint32_t tag) { return on_bus >> 48 == (tag & 0xffff); }
__device__ inline Edge from_bus(Edge on_bus) {
    const int h = h_of(on_bus);
    return edge_of(h, h - static_cast<int>(on_bus >> 32 & 0xffff));
}
__device__ inline Edge to_bus(Edge edge, int gap_first, std::uint32_t tag) {
    const int difference = min(h_of(edge) - e_of(edge), gap_first);
    return edge_of(h_of(edge), static_cast<int>(static_cast<std::uint32_t>(difference) | tag << 16));
}

// The best score of a pair, found here or elsewhere.
__device__ inline int read_best(const int* p) {
    int here, elsewhere;
    asm volatile("ld.relaxed.sys.global.v2.s32 {%0, %1}, [%2];" : "=r"(here), "=r"(elsewhere) : "l"(p));
    return max(here, elsewhere);
}

// For kernel development: when built with -DSLUICE_SPIN_LIMIT=N, a kernel that would wait forever traps instead.
#ifdef SLUICE_SPIN_LIMIT
#define SLUICE_SPIN(count) \
    if (++count > SLUICE_SPIN_LIMIT) __trap()
#else
#define SLUICE_SPIN(count) static_cast<void>(count)
#endif

}  // namespace sluice::alignment
