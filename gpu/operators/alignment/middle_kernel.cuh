// The kernel of device_middle.cu, whose head says how pairs are laid out. Device code only.
#pragma once

#include <cstdint>

#include "gpu/cuda/hopper.cuh"
#include "gpu/operators/alignment/device_middle.hpp"
#include "gpu/operators/alignment/long_kernel.cuh"

namespace sluice::alignment {

using Word = std::uint32_t;

constexpr unsigned middle_warps = 4, middle_threads = 128;  // a warp for each quarter of a multiprocessor
constexpr unsigned slack = 32;        // row groups: lanes that wait or are done, and edges that nobody asked for
constexpr unsigned edge_bits = 10;    // of an edge, for the difference of H and E
constexpr Word absent = 0x80000000u;  // instead of an edge that is not there yet

// Words of a row group: a power of two.
template <unsigned rows>
constexpr unsigned row_places = rows == 3 ? 4 : rows;

// One pair on the device.
struct DeviceMiddle::PairOnDevice {
    const Word* query;  // [slack + groups + 2 slack][places]: a byte of 1 for A, C, G, T; zeros beside the query
    const Word* text;   // [strips * 32 * C]: the letter's scores with A, C, G, T, a byte each
    StripResult* results;
    std::uint32_t m, n, groups, strips;
    std::int32_t known_below;
};

struct MiddleArguments {
    const DeviceMiddle::PairOnDevice* pairs;
    int gap_first, gap_further;
    std::uint32_t one;  // 1, which the compiler must not know: a multiplication by it stays one
};

// Words of shared memory: the query, the rings left of four strips, what lanes but the first read from the left, and
// the best score.
struct MiddleLayout {
    unsigned ring, rings, nothing, best, words;
};
template <unsigned R, unsigned U>
__host__ __device__ constexpr MiddleLayout layout_of(unsigned groups) {
    constexpr unsigned places = row_places<R>;
    MiddleLayout layout{};
    layout.rings = (groups + 3 * slack) * places;
    layout.ring = (groups + slack) * row_places<R>;
    layout.nothing = layout.rings + middle_warps * layout.ring;
    layout.best = layout.nothing + (U + 1) * row_places<R>;
    layout.words = layout.best + 4;
    return layout;
}

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
__device__ inline int read_far(unsigned address) {
    int value;
    asm volatile("ld.relaxed.cluster.shared::cluster.s32 %0, [%1];" : "=r"(value) : "r"(address));
    return value;
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
__device__ inline void read_words(unsigned address, Word& a, Word& b, Word& c, Word& d) {
    asm volatile("ld.relaxed.cluster.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(address));
}
__device__ inline void read_words(unsigned address, Word& a, Word& b) {
    asm volatile("ld.relaxed.cluster.shared.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(address));
}
__device__ inline void clear_words(unsigned address, Word a, Word b, Word c, Word d) {
    asm volatile("st.relaxed.cluster.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(a), "r"(b), "r"(c),
                 "r"(d));
}
__device__ inline void clear_words(unsigned address, Word a, Word b) {
    asm volatile("st.relaxed.cluster.shared.v2.u32 [%0], {%1, %2};" ::"r"(address), "r"(a), "r"(b));
}
__device__ inline void write_words(std::uint64_t pointer, Word a, Word b, Word c, Word d) {
    asm volatile("st.relaxed.cluster.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(pointer), "r"(a), "r"(b), "r"(c), "r"(d));
}
__device__ inline void write_words(std::uint64_t pointer, Word a, Word b) {
    asm volatile("st.relaxed.cluster.v2.u32 [%0], {%1, %2};" ::"l"(pointer), "r"(a), "r"(b));
}

// A warp's way down one strip.
template <unsigned R, unsigned C, unsigned U, unsigned V>
class MiddleStrip {
public:
    __device__ MiddleStrip(const MiddleArguments& arguments, const DeviceMiddle::PairOnDevice& pair, unsigned shared,
                           unsigned strip, unsigned warp, unsigned rank, unsigned blocks)
        : a(arguments), p(pair), lane_(threadIdx.x % 32), groups_(pair.groups), strip_(strip) {
        const MiddleLayout layout = layout_of<R, U>(groups_);
        const unsigned rings = shared + layout.rings * sizeof(Word), ring_bytes = layout.ring * sizeof(Word);
        const bool first_lane = lane_ == 0;
        reads_ = first_lane && strip > 0;
        sends_ = first_lane && strip + 1 < p.strips;
        query_ = shared + (slack - lane_) * group_bytes;
        in_ = reads_ ? rings + warp * ring_bytes + slack * group_bytes : shared + layout.nothing * sizeof(Word);
        in_step_ = reads_ ? V * group_bytes : 0;
        const bool near = warp + 1 < middle_warps;
        out_ = generic_address(
            far_address(near ? rings + (warp + 1) * ring_bytes : rings, near ? rank : (rank + 1) % blocks));
        before_ = (lane_ + 31) % 32;
        not_first_ = first_lane ? 0 : 1;
        minus_first_ = -a.gap_first, minus_further_ = -a.gap_further;
        first_column_ = (strip * 32 + lane_) * C;
#pragma unroll
        for (unsigned c = 0; c < C; ++c) text_[c] = static_cast<int>(p.text[first_column_ + c]);
        best_address_ = shared + layout.best * sizeof(Word);
        limit_ = max(read_int(best_address_), read_far(far_address(best_address_, (rank + blocks - 1) % blocks)));
    }

    __device__ void run() {
#pragma unroll
        for (unsigned c = 0; c < C; ++c) h_[c] = 0, f_[c] = minus_first_;
#pragma unroll
        for (unsigned r = 0; r < places; ++r) passed_[r] = 0;
        read_step(query_, letters_);
        read_left();
        await_left();
        Cells cells[U];
        int most[U] = {};
        for (unsigned step = 0; step < groups_; step += U) {
            steps<true>(step, cells, most);
        }
#pragma unroll
        for (unsigned i = 0; i < V * places; ++i) left_[i / places][i % places] = 0;
        for (unsigned step = groups_; step < groups_ + slack; step += U) {
            steps<false>(step, cells, most);
        }
        report();
    }

private:
    static constexpr unsigned places = row_places<R>, group_bytes = places * sizeof(Word);
    static constexpr unsigned late = U > V ? 1 : 0;  // steps until a cell is noted
    using Cells = int[R][C];

    __device__ static __forceinline__ void read_step(unsigned address, Word (&words)[places]) {
        if constexpr (places == 4)
            read_words(address, words[0], words[1], words[2], words[3]);
        else
            read_words(address, words[0], words[1]);
    }
    __device__ static __forceinline__ Word missing_of(const Word (&words)[places]) {
        Word missing = 0;
#pragma unroll
        for (unsigned r = 0; r < places; ++r) {
            if (r % places < R) missing |= words[r];
        }
        return missing;
    }
    __device__ __forceinline__ void read_left() {
#pragma unroll
        for (unsigned v = 0; v < V; ++v) read_step(in_ + v * group_bytes, left_[v]);
    }
    __device__ __forceinline__ bool left_missing() const {
        Word missing = 0;
#pragma unroll
        for (unsigned v = 0; v < V; ++v) missing |= missing_of(left_[v]);
        return static_cast<int>(missing) < 0;
    }
    __device__ __forceinline__ void await_left() {
        for (unsigned spins = 0; any(left_missing());) {
            SLUICE_SPIN(spins);
            read_left();
        }
    }

    // U steps. After every V of them all lanes look whether the left edges of the next V are there and whether one of
    // the V steps before the last had a cell to note: of these everything is known by then, and both are rare, so that
    // one question is enough. `fed`: there are rows whose left edge the first lane takes.
    template <bool fed>
    __device__ __forceinline__ void steps(unsigned step, Cells (&cells)[U], int (&most)[U]) {
#pragma unroll
        for (unsigned u = 0; u < U; ++u) {
            Word next[places];
            read_step(query_ + (u + 1) * group_bytes, next);
            most[u] = tile<fed>(u, cells[u]);
#pragma unroll
            for (unsigned r = 0; r < places; ++r) letters_[r] = next[r];
            if (u % V != V - 1) continue;
            int largest = most[(u + U - late) % U];
#pragma unroll
            for (unsigned v = 1; v < V; ++v) largest = max(largest, most[(u + U - late - v) % U]);
            const bool goes_on = fed && step + u + 1 < groups_;
            if (__builtin_expect(any((largest > limit_) | (goes_on & left_missing())), false)) {
                limit_ = max(limit_, read_int(best_address_));
#pragma unroll
                for (unsigned v = late + V; v-- > late;)
                    note(step + u - v, most[(u + U - v) % U], cells[(u + U - v) % U]);
                if (goes_on) await_left();
            }
        }
        query_ += U * group_bytes;
        out_ += U * group_bytes;
    }

    // One step; the largest cell.
    template <bool fed>
    __device__ __forceinline__ int tile(unsigned u, int (&cells)[R][C]) {
        // The first lane got the last one's edge of the step before.
        if (sends_) write_step(out_ + u * group_bytes);
        int left_h[R], left_e[R];
#pragma unroll
        for (unsigned r = 0; r < R; ++r) {
            const auto& left = left_[u % V];
            const int edge = multiply_add(static_cast<int>(passed_[r]), not_first_, static_cast<int>(left[r]));
            left_h[r] = static_cast<int>(static_cast<Word>(edge) >> edge_bits);
            left_e[r] = left_h[r] * ((1 << edge_bits) + 1) - edge;
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
        for (unsigned r = 0; r < R; ++r) {
            int diagonal = diagonal_left, e = left_e[r];
            diagonal_left = left_h[r];
#pragma unroll
            for (unsigned c = 0; c < C; ++c) {
                const int d = __dp4a(text_[c], static_cast<int>(letters_[r]), diagonal);
                diagonal = h_[c];
                const int cell = __vimax3_s32_relu(d, e, f_[c]);
                const int opened = multiply_add(cell, a.one, minus_first_);
                e = __viaddmax_s32(e, minus_further_, opened);
                f_[c] = __viaddmax_s32(f_[c], minus_further_, opened);
                h_[c] = cells[r][c] = cell;
                if ((r * C + c) % 2 == 1) most = __vimax3_s32(most, before, cell);
                before = cell;
            }
            const int edge = h_[C - 1] * ((1 << edge_bits) + 1) - e;
            passed_[r] = static_cast<Word>(__shfl_sync(~0u, edge, static_cast<int>(before_)));
        }
        corner_ = diagonal_left;
        return R * C % 2 == 1 ? max(most, before) : most;
    }

    __device__ __forceinline__ void write_step(std::uint64_t pointer) const {
        if constexpr (places == 2)
            write_words(pointer, passed_[0], passed_[1]);
        else
            write_words(pointer, passed_[0], passed_[1], passed_[2], passed_[3]);
    }
    __device__ __forceinline__ void clear_step(unsigned address) const {
        if constexpr (places == 2)
            clear_words(address, absent, absent);
        else
            clear_words(address, absent, absent, absent, absent);
    }

    // Rare; without branches, so that the compiler sees lanes stay together. Cells beside the pair may have what a cell
    // of the pair had before them, and don't count.
    __device__ __forceinline__ void note(unsigned step, int most, const int (&cells)[R][C]) {
        const std::uint32_t row = (step - lane_) * R;
        unsigned place = 0;
#pragma unroll
        for (unsigned i = 0; i < R * C; ++i) {
            const bool here = cells[i / C][i % C] == most && row + i / C < p.m && first_column_ + i % C < p.n;
            place = here ? i + 1 : place;
        }
        const bool found = most > limit_ && place != 0;
        best_.score = found ? most : best_.score;
        best_.query_end = found ? row + (place - 1) / C + 1 : best_.query_end;
        best_.text_end = found ? first_column_ + (place - 1) % C + 1 : best_.text_end;
        limit_ = found ? most : limit_;
        raise_int(best_address_, found ? most : 0);
    }

    __device__ void report() const {
        const int top = __reduce_max_sync(~0u, best_.score);
        const unsigned who = __ballot_sync(~0u, best_.score == top);
        if (lane_ == static_cast<unsigned>(__ffs(static_cast<int>(who)) - 1))
            p.results[strip_] = {best_.score, best_.query_end, best_.text_end};
    }

    const MiddleArguments& a;
    const DeviceMiddle::PairOnDevice& p;
    unsigned lane_, groups_, strip_;
    unsigned query_, in_, in_step_, best_address_, before_;
    std::uint64_t out_;
    bool reads_, sends_;
    std::uint32_t not_first_, first_column_;
    int minus_first_, minus_further_;
    int text_[C];
    Word letters_[places], left_[V][places];
    int h_[C], f_[C], corner_ = 0;
    Word passed_[places];
    int limit_;  // what a cell has to exceed
    EndPoint best_{};
};

template <unsigned R, unsigned C, unsigned U, unsigned V>
__global__ void __launch_bounds__(middle_threads, 1) middle_kernel(const MiddleArguments a) {
#if SLUICE_HOPPER  // others have no clusters
    extern __shared__ uint4 middle_words[];
    const unsigned blocks = cluster_blocks(), rank = cluster_rank(), warp = uniform(threadIdx.x / 32);
    const DeviceMiddle::PairOnDevice p = a.pairs[blockIdx.x / blocks];
    const MiddleLayout layout = layout_of<R, U>(p.groups);
    Word* const words = reinterpret_cast<Word*>(middle_words);
    for (unsigned i = threadIdx.x; i < layout.rings; i += middle_threads) words[i] = p.query[i];
    for (unsigned i = layout.rings + threadIdx.x; i < layout.nothing; i += middle_threads) words[i] = absent;
    for (unsigned i = layout.nothing + threadIdx.x; i < layout.best; i += middle_threads) words[i] = 0;
    if (threadIdx.x == 0) words[layout.best] = static_cast<Word>(p.known_below);
    cluster_barrier();
    for (unsigned strip = rank * middle_warps + warp; strip < uniform(p.strips); strip += blocks * middle_warps)
        MiddleStrip<R, C, U, V>(a, p, shared_address(words), strip, warp, rank, blocks).run();
    cluster_barrier();  // others write here until they are done
#else
    static_cast<void>(a);
#endif
}

}  // namespace sluice::alignment
