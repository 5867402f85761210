// How strips hand edges to each other: in rings in shared memory and on the bus in device memory; and the best score
// that is known. Device code only.
//
// Why it is right. All of these are relaxed atomics of 8 or 4 bytes, and nothing is handed over beside what they hold:
// whoever reads an edge has it, and needs no other access to come before or after. What counts is the order of the
// accesses of one place, which all threads see alike (coherence). Of a ring's place:
// * Only the strip to its left fills it, after it has been seen empty, and only the one to its right empties it, after
//   it has seen it full. Each waits for the change that the other one makes, so they alternate and none is lost.
// * Who does tiles looks at the places of one row group for those of 16: the last one's, before which all others were
//   emptied. This order of different places is what in_order() is for: it stands between the two in the strip that
//   empties them (a release), and after they have been seen empty in the one that fills them (an acquire).
// * Within a warp, lane 31 fills and lane 0 empties while lanes do tiles, and all do while rows are skipped, a place
//   each. Where one lane looks and another one looks or writes next, __syncwarp() stands between them.
// Of the bus' row r: block b writes there what came of reading it, or zeros after having read it, and block b + 1 waits
// for exactly that, by its number. So it is not overwritten before it has been read, though nobody asks; that holds
// across devices, too, since block b + 2 can have nothing to write before b + 1 has written.
// Several values beside each other (v2) are several atomics, in any order. A best score is only ever a bound, and an
// old one is a valid one.
//
// compute-sanitizer's racecheck names these accesses all the same: to it, loads and stores of shared memory are races
// unless a barrier is between them. With the same loads and stores compiled as read-modify-write atomics (atom.or with
// 0, atom.exch), which it knows to be none, it finds nothing in the kernel. Acquiring loads and releasing stores in
// their place take 6 % longer, the fences of in_order() 0.8 %.
#pragma once

#include <cstdint>

#include "gpu/operators/alignment/long_launch.hpp"

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

// What the warp did to shared memory before comes before what it does after, for whoever sees the latter so.
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

// The best score of a pair, wherever it has been found.
__device__ inline int read_best(const int* p) {
    int here, elsewhere;
    asm volatile("ld.relaxed.sys.global.v2.s32 {%0, %1}, [%2];" : "=r"(here), "=r"(elsewhere) : "l"(p));
    return max(here, elsewhere);
}

// For whoever changes a kernel: built with -DSLUICE_SPIN_LIMIT=N, one that would wait for ever is an error instead.
#ifdef SLUICE_SPIN_LIMIT
#define SLUICE_SPIN(count) \
    if (++count > SLUICE_SPIN_LIMIT) __trap()
#else
#define SLUICE_SPIN(count) static_cast<void>(count)
#endif

}  // namespace sluice::alignment
