// One alignment kernel, in several shapes. The file exceeds 300 lines because this head describes the register layout,
// and because the kernel in pieces was 3.5 to 4.5 % slower on long DNA (H200).
//
// A group of G lanes owns an item: a text and two queries (one if scores are 32 bits wide). Lane l keeps C letters of
// the text, that is, H and F of C columns, in registers. It moves down the query one row per step, l rows behind lane
// 0. The right edge of its row (H, and E of the next column) goes to lane l + 1 by shuffle. Texts longer than G * C
// take several passes, with the edge between them in device memory. A warp has 32 / G groups, a block 256 threads.
//
// The block keeps the scores of its text's letters in shared memory as [letter of the query][column of 4][lane][4], so
// four columns are one 16-byte load without bank conflicts, whatever the letters. With few letters (DNA) a row stands
// for a pair of letters, one of each query, and holds both scores in the halves of a word. Otherwise (protein) two rows
// are read and added.
//
// Values are biased so that 16-bit halves never borrow from each other. Adding the score is then an ordinary addition,
// which the multiply-add pipe performs. The ALU is left with 4.5 instructions for two cells:
//   d = diagonal + score        IMAD (FMA pipe)
//   H = max(d, E, F)            VIMNMX3
//   t = max(H - first, zero)    VIADDMNMX; the zero of local alignments is free
//   E = max(E - further, t)     VIADDMNMX
//   F = max(F - further, t)     VIADDMNMX
//   best = max(best, H, H')     VIMNMX3, once for two columns
// Floor on an H100: 64 ALU lanes a clock, 132 multiprocessors at 1.755 GHz (1.98 at best): 6.6 (7.4) TCUPS. Memory
// traffic: two bytes per row, lane and query from the L1 cache, and nothing else in a single pass.
#include "gpu/device/shared_memory.hpp"
#include "gpu/operators/alignment/cuda/lane_group_kernel.hpp"

namespace sluice::alignment {

namespace {

using Word = std::uint32_t;

constexpr unsigned block_threads = lane_group_threads;
constexpr unsigned steps_between_checks = 32;  // of thresholds
constexpr int null_score = -1024;              // of a column past the end of the text
static_assert(-null_score > score_max);

// Two 16-bit scores. `Wide` holds one of 32 bits.
template <bool local>
struct Narrow {
    static constexpr bool wide = false;
    static constexpr int bias = local ? 1024 : 16384;
    static constexpr int limit = 32767 - score_max;  // a half that reaches this may have exceeded its range
    __device__ static Word both(int value) {
        return static_cast<Word>(value) * 0x10001u;  // of a biased value
    }
    __device__ static Word negative(int value) { return (static_cast<Word>(-value) & 0xffffu) * 0x10001u; }
    __device__ static Word max3(Word a, Word b, Word c) { return __vimax3_s16x2(a, b, c); }
    __device__ static Word add_max(Word a, Word b, Word c) { return __viaddmax_s16x2(a, b, c); }
    __device__ static Word max2(Word a, Word b) { return __vmaxs2(a, b); }
    __device__ static int half(Word a, int i) {
        return static_cast<std::int16_t>(i == 0 ? a & 0xffff : a >> 16) - bias;
    }
};

template <bool local>
struct Wide {
    static constexpr bool wide = true;
    static constexpr int bias = 0;
    static constexpr int limit = INT32_MAX;
    __device__ static Word both(int value) { return static_cast<Word>(value); }
    __device__ static Word negative(int value) { return static_cast<Word>(-value); }
    __device__ static Word max3(Word a, Word b, Word c) {
        return static_cast<Word>(__vimax3_s32(static_cast<int>(a), static_cast<int>(b), static_cast<int>(c)));
    }
    __device__ static Word add_max(Word a, Word b, Word c) {
        return static_cast<Word>(__viaddmax_s32(static_cast<int>(a), static_cast<int>(b), static_cast<int>(c)));
    }
    __device__ static Word max2(Word a, Word b) {
        return static_cast<Word>(max(static_cast<int>(a), static_cast<int>(b)));
    }
    __device__ static int half(Word a, int) { return static_cast<int>(a); }
};

__device__ Word multiply_add(Word a, Word b, Word c) {
    Word d;
    asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
}

__device__ int gap_cost(const LaneGroupArguments& a, unsigned length) {
    return length == 0 ? 0 : a.gap_first + static_cast<int>(length - 1) * a.gap_further;
}

// Builds the score table of the text's columns from `first_column` on; rows are letters or pairs of letters.
template <class V, bool letter_pairs, unsigned G, unsigned C>
__device__ void build_table(Word* table, const LaneGroupArguments& a, const Code* text, unsigned length,
                            unsigned first_column) {
    const unsigned rows = letter_pairs ? a.letters * a.letters : a.letters;
    for (unsigned i = threadIdx.x; i < C * 32; i += block_threads) {
        const unsigned quad = i / 128, lane = i % 128 / 4;
        const unsigned column = first_column + lane % G * C + quad * 4 + i % 4;
        const bool inside = column < length;
        const std::int16_t* scores = a.matrix + (inside ? text[column] : 0) * codes_max;
        const auto score = [&](unsigned letter) { return inside ? int{scores[letter]} : null_score; };
        for (unsigned row = 0; row < rows; ++row) {
            table[row * C * 32 + i] = letter_pairs ? static_cast<Word>(score(row / a.letters)) * 0x10000u +
                                                         static_cast<Word>(score(row % a.letters))
                                                   : static_cast<Word>(score(row));
        }
    }
}

// Whether both alignments of a group have reached their thresholds or no longer can. `best` is their best score so far,
// `top` the largest H from which a lane continues, and `rows` the number of rows that all lanes have finished.
template <class V, unsigned G>
__device__ bool decided(const LaneGroupArguments& a, const LaneGroupItem& item, const unsigned (&length)[2],
                        unsigned rows, bool one_pass, Word best, Word top) {
    for (unsigned step = 1; step < G; step *= 2) {
        best = V::max2(best, __shfl_xor_sync(~0u, best, static_cast<int>(step)));
        top = V::max2(top, __shfl_xor_sync(~0u, top, static_cast<int>(step)));
    }
    for (int half = 0; half < 2; ++half) {
        if (item.out[half] == LaneGroupItem::none) continue;
        const int threshold = a.thresholds[item.out[half]];
        if (V::half(best, half) >= threshold) continue;
        const int left = static_cast<int>(max(length[half], rows) - rows);
        if (!one_pass || V::half(top, half) + left * a.highest >= threshold) return false;
    }
    return true;
}

// One long function, because its loops share registers. `by_threshold` is a template parameter so the loop need not
// test it.
template <class V, Mode mode, bool letter_pairs, bool by_threshold, unsigned G, unsigned C>
__global__ void __launch_bounds__(block_threads, 2) lane_group_kernel(const LaneGroupArguments a) {
    constexpr bool local = mode == Mode::local;
    constexpr unsigned groups = block_threads / G;
    extern __shared__ uint4 table[];
    __shared__ unsigned next_chunk;
    const unsigned lane = threadIdx.x % 32, member = threadIdx.x % G, group = threadIdx.x / G;
    const Word zero = V::both(V::bias), first = V::negative(a.gap_first), further = V::negative(a.gap_further);
    const Word first_both = V::both(a.gap_first);
    uint2* border = a.borders + (std::size_t{blockIdx.x} * groups + group) * a.rows;
    unsigned table_text = ~0u, table_column = 0;

    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0) next_chunk = atomicAdd(a.ticket, 1);
        __syncthreads();
        if (next_chunk >= a.chunk_count) return;
        const LaneGroupChunk chunk = a.chunks[next_chunk];
        const Code* text = a.text_codes + a.text_begins[chunk.text];
        const unsigned n = a.text_begins[chunk.text + 1] - a.text_begins[chunk.text];
        LaneGroupItem item{{LaneGroupItem::none, LaneGroupItem::none}, {LaneGroupItem::none, LaneGroupItem::none}};
        if (group < chunk.items) item = a.items[chunk.first_item + group];
        const Code* codes[2] = {a.query_codes, a.query_codes};
        unsigned length[2] = {0, 0};
        for (int half = 0; half < 2; ++half) {
            if (item.query[half] == LaneGroupItem::none) continue;
            codes[half] += a.query_begins[item.query[half]];
            length[half] = a.query_begins[item.query[half] + 1] - a.query_begins[item.query[half]];
        }
        const unsigned rows = max(length[0], length[1]);
        unsigned warp_rows = rows;
        for (unsigned step = G; step < 32; step *= 2) warp_rows = max(warp_rows, __shfl_xor_sync(~0u, warp_rows, step));
        Word best = zero;
        int global_score[2];
        for (int half = 0; half < 2; ++half) global_score[half] = -gap_cost(a, length[half] + n);

        bool over = false;
        for (unsigned first_column = 0; first_column < n; first_column += G * C) {
            if (table_text != chunk.text || table_column != first_column) {
                __syncthreads();
                build_table<V, letter_pairs, G, C>(reinterpret_cast<Word*>(table), a, text, n, first_column);
                table_text = chunk.text, table_column = first_column;
                __syncthreads();
            }
            const bool has_left = first_column > 0, has_right = first_column + G * C < n;
            const unsigned lane_column = first_column + member * C;
            Word h[C], f[C];
#pragma unroll
            for (unsigned j = 0; j < C; ++j) {
                h[j] = local ? zero : V::both(V::bias - gap_cost(a, lane_column + j + 1));
                f[j] = local ? zero : h[j] - first_both;
            }
            Word diagonal_left = local ? zero : V::both(V::bias - gap_cost(a, lane_column));
            Word e = zero, edge_h = zero, edge_e = zero;
            const auto letter = [&](int half, int row) {
                return static_cast<unsigned>(row) < length[half] ? codes[half][row] : a.null_letter;
            };
            const int row_of_first = -static_cast<int>(member);
            Word letter_0 = letter(0, row_of_first), letter_1 = V::wide ? 0 : letter(1, row_of_first);
            uint2 next_border = has_left && rows > 0 ? border[0] : uint2{};

            for (unsigned step = 0; step < warp_rows + G - 1 && !over; ++step) {
                if (by_threshold && step % steps_between_checks == steps_between_checks - 1) {
                    Word top = diagonal_left;
#pragma unroll
                    for (unsigned j = 0; j < C; ++j) top = V::max2(top, h[j]);
                    over = __all_sync(~0u, decided<V, G>(a, item, length, max(step + 1, G) - G, n <= G * C, best, top));
                    if (over) break;
                }
                const int row = static_cast<int>(step) - static_cast<int>(member);
                Word left_h = __shfl_up_sync(~0u, edge_h, 1, G), left_e = __shfl_up_sync(~0u, edge_e, 1, G);
                const Word row_0 = letter_0, row_1 = letter_1;
                letter_0 = letter(0, row + 1);
                if (!V::wide) letter_1 = letter(1, row + 1);
                if (member == 0) {
                    if (has_left) {
                        left_h = next_border.x, left_e = next_border.y;
                        if (static_cast<unsigned>(row + 1) < rows) next_border = border[row + 1];
                    } else {
                        left_h = local ? zero : V::both(V::bias - gap_cost(a, static_cast<unsigned>(row + 1)));
                        left_e = local ? zero : left_h - first_both;
                    }
                }
                if (static_cast<unsigned>(row) >= rows) continue;
                const uint4* scores_0 =
                    table + lane + (letter_pairs ? row_1 * a.letters + row_0 : row_0) * (C / 4 * 32);
                const uint4* scores_1 = table + lane + row_1 * (C / 4 * 32);
                Word diagonal = diagonal_left;
                diagonal_left = left_h;
                e = left_e;
#pragma unroll
                for (unsigned quad = 0; quad < C / 4; ++quad) {
                    const uint4 q0 = scores_0[quad * 32];
                    const Word s0[4] = {q0.x, q0.y, q0.z, q0.w};
                    Word s1[4] = {};
                    if (!letter_pairs && !V::wide) {
                        const uint4 q1 = scores_1[quad * 32];
                        s1[0] = q1.x, s1[1] = q1.y, s1[2] = q1.z, s1[3] = q1.w;
                    }
                    Word before = 0;
#pragma unroll
                    for (unsigned k = 0; k < 4; ++k) {
                        const unsigned j = quad * 4 + k;
                        Word d = multiply_add(diagonal, a.one, s0[k]);
                        if (!letter_pairs && !V::wide) d = multiply_add(s1[k], a.upper, d);
                        diagonal = h[j];
                        h[j] = V::max3(d, e, f[j]);
                        const Word opened = local ? V::add_max(h[j], first, zero) : h[j] - first_both;
                        e = V::add_max(e, further, opened);
                        f[j] = V::add_max(f[j], further, opened);
                        if (local && k % 2 == 1) best = V::max3(best, before, h[j]);
                        before = h[j];
                    }
                }
                edge_h = h[C - 1], edge_e = e;
                if (has_right && member == G - 1) border[row] = {edge_h, edge_e};
                if (!local && n - 1 - lane_column < C) {
                    for (int half = 0; half < 2; ++half) {
                        if (static_cast<unsigned>(row) + 1 != length[half]) continue;
                        Word last = 0;
#pragma unroll
                        for (unsigned j = 0; j < C; ++j) {
                            if (j == n - 1 - lane_column) last = h[j];
                        }
                        global_score[half] = V::half(last, half);
                    }
                }
            }
            __syncwarp();
        }

        if (local) {
            for (unsigned step = 1; step < G; step *= 2)
                best = V::max2(best, __shfl_xor_sync(~0u, best, static_cast<int>(step)));
        }
        const bool writes = local ? member == 0 : n == 0 ? member == 0 : (n - 1) / C % G == member;
        for (int half = 0; half < 2; ++half) {
            if (!writes || item.out[half] == LaneGroupItem::none) continue;
            const int score = V::half(best, half);
            a.scores[item.out[half]] = !local                        ? global_score[half]
                                       : score + V::bias >= V::limit ? LaneGroupPlan::exceeded
                                                                     : score;
        }
    }
}

using Kernel = void (*)(LaneGroupArguments);

template <Mode mode, bool letter_pairs, bool by_threshold>
Kernel kernel_of(const LaneGroupPlan::Shape& shape) {
    constexpr bool local = mode == Mode::local;
    if (shape.wide) return lane_group_kernel<Wide<local>, mode, false, by_threshold, 32, 16>;
    using V = Narrow<local>;
    if (shape == LaneGroupPlan::Shape{8, 32, false})
        return lane_group_kernel<V, mode, letter_pairs, by_threshold, 8, 32>;
    if constexpr (local) {
        if (shape == LaneGroupPlan::Shape{8, 16, false})
            return lane_group_kernel<V, mode, letter_pairs, by_threshold, 8, 16>;
        if (shape == LaneGroupPlan::Shape{16, 24, false})
            return lane_group_kernel<V, mode, letter_pairs, by_threshold, 16, 24>;
        if (shape == LaneGroupPlan::Shape{16, 32, false})
            return lane_group_kernel<V, mode, letter_pairs, by_threshold, 16, 32>;
        if (shape == LaneGroupPlan::Shape{32, 24, false})
            return lane_group_kernel<V, mode, letter_pairs, by_threshold, 32, 24>;
    }
    return lane_group_kernel<V, mode, letter_pairs, by_threshold, 32, 32>;
}

// Global scores are always computed to the end, whatever the threshold.
template <bool letter_pairs>
Kernel kernel_of(const LaneGroupPlan::Shape& shape, Mode mode, bool by_threshold) {
    if (mode == Mode::global) return kernel_of<Mode::global, letter_pairs, false>(shape);
    return by_threshold ? kernel_of<Mode::local, letter_pairs, true>(shape)
                        : kernel_of<Mode::local, letter_pairs, false>(shape);
}

}  // namespace

void launch_lane_groups(const LaneGroupPlan::Shape& shape, Mode mode, bool dna, const LaneGroupArguments& arguments,
                        unsigned blocks, cudaStream_t stream) {
    const bool letter_pairs = dna && !shape.wide, by_threshold = arguments.thresholds != nullptr;
    const Kernel kernel =
        dna ? kernel_of<true>(shape, mode, by_threshold) : kernel_of<false>(shape, mode, by_threshold);
    const unsigned rows = letter_pairs ? arguments.letters * arguments.letters : arguments.letters;
    cuda::allow_all_shared_memory(reinterpret_cast<const void*>(kernel));
    kernel<<<blocks, block_threads, rows * shape.columns * 32 * sizeof(Word), stream>>>(arguments);
    cuda::check_launch("alignment of many pairs");
}

}  // namespace sluice::alignment
