#include <algorithm>
#include <bit>

#include "gpu/device/device.hpp"
#include "gpu/operators/edits/cuda/bit_column.cuh"
#include "gpu/operators/edits/cuda/myers_long.hpp"

namespace sluice::edits {

namespace {

constexpr unsigned all_lanes = ~0u;
constexpr std::uint32_t warp_size = 32;
constexpr std::uint32_t block_threads = 128, block_warps = block_threads / warp_size;
constexpr std::uint32_t columns = 32;  // processed together
constexpr std::uint32_t lag = 2;       // columns that a lane is behind the one above
constexpr std::size_t shared_table_max = 200 * 1024;
constexpr std::uint64_t warps_of_multiprocessor = 8;

template <class Symbol>
__global__ void text_rows(const std::uint32_t* row_of, const Symbol* texts, std::uint64_t n, std::uint16_t* rows) {
    const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) rows[i] = static_cast<std::uint16_t>(row_of[texts[i]]);
}

// A warp has 32 / lanes pieces of text, each with the whole pattern. In step t, lane l of a piece computes word(s) l of
// column t - 2 l and hands the horizontal differences of its lowest row to the next lane, with two shuffles per step. A
// lane runs two columns behind the one above, so no step waits for its shuffles. Lanes before the beginning of the
// piece or past its end read the text that is there: it can only hold other substrings, and its margins match nothing.
// The last lane of a piece keeps the horizontal differences of the last row for 32 columns in two words, from which the
// lanes together compute the 32 distances.
//
// A step costs a warp about 16 operations for one word per lane (10 more for each further word), of which a
// multiprocessor does 2 per clock: m = 1024 and |Y| = 2^22 in 1056 parts are 6.4 M steps, 0.2 ms. Traffic: 2 bytes per
// symbol, from the caches.
template <int words, bool shared>
__global__ void __launch_bounds__(block_threads)
    match_long(DeviceLongPattern pattern, const std::uint16_t* rows, const TextPiece* pieces, std::uint32_t n,
               std::uint32_t* least_of_texts, std::uint64_t stride) {
    extern __shared__ std::uint32_t shared_table[];
    const std::uint32_t* table = pattern.table;
    if constexpr (shared) {
        for (std::uint32_t i = threadIdx.x; i < pattern.rows * words * warp_size; i += block_threads)
            shared_table[i] = table[i];
        __syncthreads();
        table = shared_table;
    }
    const std::uint32_t lanes = pattern.layout.lanes, lane = threadIdx.x % warp_size, l = lane % lanes;
    const std::uint32_t warp = blockIdx.x * block_warps + threadIdx.x / warp_size;
    const std::uint32_t index = warp * (warp_size / lanes) + lane / lanes;
    if (warp * (warp_size / lanes) >= n) return;
    const TextPiece piece = pieces[min(index, n - 1)];
    const std::uint32_t behind = lag * (lanes - 1);  // the last lane
    const std::uint32_t steps = __reduce_max_sync(all_lanes, piece.length) + behind;
    BitColumn<words> column;
    column.begin(static_cast<int>((lanes - l) * words * lane_rows) - static_cast<int>(pattern.m));
    int distance = static_cast<int>(pattern.m), least = distance;
    const std::uint16_t* text = rows + piece.begin - lag * l;
    table += lane;
    Across out{0, 0}, above{0, 0};
    const bool first = l == 0;
    std::uint32_t symbols[columns];  // read one iteration ahead of their use
#pragma unroll
    for (std::uint32_t q = 0; q < columns; ++q) symbols[q] = text[q];
    for (std::uint32_t t = 0; t < steps; t += columns) {
        std::uint32_t outs_plus = 0, outs_minus = 0;
        // A piece that ends before the longest one of the warp reads no further and updates nothing.
        const bool counts = t < piece.length + behind;
        if (t + columns < piece.length + behind) text += columns;
#pragma unroll
        for (std::uint32_t q = 0; q < columns; ++q) {
            const std::uint32_t* row = table + symbols[q] * (words * warp_size);
            symbols[q] = text[q];
            std::uint32_t match[words];
#pragma unroll
            for (int w = 0; w < words; ++w) match[w] = row[w * warp_size];
            Across next{__shfl_up_sync(all_lanes, out.plus, 1), __shfl_up_sync(all_lanes, out.minus, 1)};
            if (first) next = {0, 0};
            out = column.step(match, above);
            above = next;
            outs_plus = __funnelshift_l(out.plus, outs_plus, 1);
            outs_minus = __funnelshift_l(out.minus, outs_minus, 1);
        }
        // Column q's bit is 31 - q.
        const unsigned last_lane = lane | (lanes - 1);
        outs_plus = __shfl_sync(all_lanes, outs_plus, static_cast<int>(last_lane));
        outs_minus = __shfl_sync(all_lanes, outs_minus, static_cast<int>(last_lane));
        for (std::uint32_t q = l; counts && q < columns; q += lanes) {
            const std::uint32_t seen = ~0u << (31 - q);
            least = min(least, distance + __popc(outs_plus & seen) - __popc(outs_minus & seen));
        }
        distance += __popc(outs_plus) - __popc(outs_minus);
        if (lanes == warp_size && __any_sync(all_lanes, least <= static_cast<int>(pattern.bound))) break;
    }
    if (index < n) atomicMin(&least_of_texts[piece.result * stride], static_cast<std::uint32_t>(least));
}

template <int words>
void launch(const DeviceLongPattern& pattern, const std::uint16_t* rows, const TextPiece* pieces, std::uint32_t n,
            std::uint32_t* least, std::uint64_t stride, cudaStream_t stream) {
    const std::size_t bytes = std::size_t{pattern.rows} * words * warp_size * sizeof(std::uint32_t);
    const bool shared = bytes <= shared_table_max;
    const auto kernel = shared ? match_long<words, true> : match_long<words, false>;
    if (shared) {
        cuda::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         static_cast<int>(shared_table_max)),
                    "shared memory of match_long");
    }
    const std::uint32_t pieces_of_block = block_warps * (warp_size / pattern.layout.lanes);
    const std::uint32_t blocks = (n + pieces_of_block - 1) / pieces_of_block;
    kernel<<<blocks, block_threads, shared ? bytes : 0, stream>>>(pattern, rows, pieces, n, least, stride);
    cuda::check_launch("match_long");
}

}  // namespace

LongLayout long_layout(std::uint32_t m) {
    const std::uint32_t words = std::max(1u, (m + lane_rows - 1) / lane_rows);
    // Half as many lanes of two words: a second piece of the text for the warp costs less than a second warp.
    if (words <= warp_size)
        return words <= 2 ? LongLayout{std::bit_ceil(words), 1} : LongLayout{std::bit_ceil(words) / 2, 2};
    return {warp_size, std::bit_ceil((words + warp_size - 1) / warp_size)};
}

LongTable long_table(std::span<const std::uint32_t> pattern, std::uint32_t classes) {
    const LongLayout layout = long_layout(static_cast<std::uint32_t>(pattern.size()));
    const std::uint32_t words = layout.lanes * layout.words;
    const MatchTable<std::uint32_t> match(std::span(&pattern, 1), 1, words, classes, true);
    LongTable table{layout,
                    static_cast<std::uint32_t>(pattern.size()),
                    static_cast<std::uint32_t>(match.table.size() / words),
                    {},
                    {}};
    for (const std::uint32_t begin : match.row_of) table.row_of.push_back(begin / words);
    table.table.resize(std::size_t{table.rows} * layout.words * warp_size);
    for (std::uint32_t row = 0; row < table.rows; ++row) {
        for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
            for (std::uint32_t w = 0; w < layout.words; ++w) {
                table.table[(std::size_t{row} * layout.words + w) * warp_size + lane] =
                    match.table[std::size_t{row} * words + lane % layout.lanes * layout.words + w];
            }
        }
    }
    return table;
}

template <class Symbol>
void enqueue_rows(const DeviceLongPattern& pattern, const Symbol* texts, std::uint64_t n, std::uint16_t* rows,
                  cudaStream_t stream) {
    if (n == 0) return;
    constexpr unsigned threads = 256;
    text_rows<<<static_cast<unsigned>((n + threads - 1) / threads), threads, 0, stream>>>(pattern.row_of, texts, n,
                                                                                          rows);
    cuda::check_launch("text_rows");
}
template void enqueue_rows(const DeviceLongPattern&, const std::uint8_t*, std::uint64_t, std::uint16_t*, cudaStream_t);
template void enqueue_rows(const DeviceLongPattern&, const std::uint16_t*, std::uint64_t, std::uint16_t*, cudaStream_t);

void enqueue_myers_long(const DeviceLongPattern& pattern, const std::uint16_t* rows, const TextPiece* pieces,
                        std::uint32_t n, std::uint32_t* least, std::uint64_t stride, cudaStream_t stream) {
    if (n == 0) return;
    switch (pattern.layout.words) {
        case 1:
            return launch<1>(pattern, rows, pieces, n, least, stride, stream);
        case 2:
            return launch<2>(pattern, rows, pieces, n, least, stride, stream);
        case 4:
            return launch<4>(pattern, rows, pieces, n, least, stride, stream);
        case 8:
            return launch<8>(pattern, rows, pieces, n, least, stride, stream);
        default:
            return launch<16>(pattern, rows, pieces, n, least, stride, stream);
    }
}

std::uint64_t long_parts(LongLayout layout, int multiprocessors) {
    return warps_of_multiprocessor * static_cast<std::uint64_t>(multiprocessors) * (warp_size / layout.lanes);
}

}  // namespace sluice::edits
