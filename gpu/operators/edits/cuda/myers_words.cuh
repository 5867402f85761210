// The kernels of myers_many.hpp for patterns of one number of words, and their launches. Each myers_words_N.cu compiles
// them for one number, side by side: all in one file would take minutes.
#pragma once

#include <algorithm>
#include <type_traits>

#include "gpu/device/device.hpp"
#include "gpu/operators/edits/cuda/bit_column.cuh"
#include "gpu/operators/edits/cuda/myers_words.hpp"

namespace sluice::edits {

namespace {

constexpr unsigned all_lanes = ~0u;
constexpr std::uint32_t block_threads = 256, block_warps = block_threads / warp_lanes;
// The number of texts that a block searches with the table it has loaded.
constexpr std::uint32_t block_texts = 64;
constexpr std::uint32_t columns_between_looks = 64;

// 16 bytes of text.
template <class Symbol>
struct Symbols {
    static constexpr std::uint32_t size = 16 / sizeof(Symbol);
    uint4 words;

    __device__ std::uint32_t operator[](std::uint32_t i) const {  // i is a compile-time constant
        const std::uint32_t word_index = i * sizeof(Symbol) / 4, shift = i * sizeof(Symbol) % 4 * 8;
        const std::uint32_t word = word_index == 0   ? words.x
                                   : word_index == 1 ? words.y
                                   : word_index == 2 ? words.z
                                                     : words.w;
        return (word >> shift) & (sizeof(Symbol) == 1 ? 0xFFu : 0xFFFFu);
    }
};

// The state of one pattern along one text.
template <int words, bool whole>
struct Matcher {
    BitColumn<words> column;
    int distance, least;

    __device__ explicit Matcher(std::uint32_t length)
        : distance(static_cast<int>(length)), least(static_cast<int>(length)) {
        column.begin(words * 32 - static_cast<int>(length));
    }
    // row: this lane's entry in the symbol's row of the table.
    __device__ __forceinline__ void step(const std::uint32_t* row) {
        std::uint32_t match[words];
#pragma unroll
        for (int w = 0; w < words; ++w) match[w] = row[w * warp_lanes];
        const Across across = column.step(match, {whole ? ~0u : 0u, 0u});
        distance += static_cast<int>(across.plus >> 31) - static_cast<int>(across.minus >> 31);
        if (!whole) least = min(least, distance);
    }
    // Whether, with this many columns left, the distance is known to be within the bound (of a substring) or can never
    // be: it falls by at most 1 per column.
    __device__ bool decided(int bound, std::uint32_t left) const {
        return (!whole && least <= bound) || distance > bound + static_cast<int>(left);
    }
    // The symbols past the end of a text match nothing: they bring no substring nearer, but would count for whole
    // texts. stop(left): whether the remaining columns no longer matter.
    template <class Symbol, class Row, class Stop>
    __device__ void run(const Symbol* text, std::uint32_t length, Row row, Stop stop) {
        constexpr std::uint32_t piece = Symbols<Symbol>::size;
        const uint4* pieces = reinterpret_cast<const uint4*>(text);
        uint4 next = length > 0 ? pieces[0] : uint4{};
        for (std::uint32_t j = 0; j < length; j += piece) {
            const Symbols<Symbol> symbols{next};
            if (j + piece < length) next = pieces[j / piece + 1];
            if (!whole || j + piece <= length) {
#pragma unroll
                for (std::uint32_t i = 0; i < piece; ++i) step(row(symbols[i]));
            } else {
#pragma unroll
                for (std::uint32_t i = 0; i < piece; ++i) {
                    if (j + i < length) step(row(symbols[i]));
                }
            }
            const std::uint32_t left = length - min(length, j + piece);
            if ((j % columns_between_looks == 0 || left < words * 32) && stop(left)) break;
        }
        if (whole) least = distance;
    }
};

// Whether the lengths alone rule out a distance within the bound; also true for lanes without a pattern.
template <bool whole>
__device__ bool too_unlike(std::uint32_t pattern_length, std::uint32_t text_length, int bound) {
    const auto k = static_cast<std::uint32_t>(bound);
    return pattern_length == 0 || pattern_length > text_length + k || (whole && text_length > pattern_length + k);
}

// Block (x, y): group x, texts from y * block_texts on. The block reads the group's table once. Each warp then reads 16
// bytes of text at a time, the same for all lanes, and writes a word per lane, or one word of hits, for each text.
//
// Besides the loads, a column costs a lane 5 operations and about 10 per word, and a multiprocessor does 64 of them per
// clock: at most 38 (two words) to 46 (eight) 10^12 cells a second at 1.98 GHz. Memory traffic hardly matters: 256
// bytes for 10,000 patterns.
template <int words, bool whole, bool shared, class Symbol>
__global__ void __launch_bounds__(block_threads)
    match_many(DeviceGroups groups, const Symbol* texts, const TextPiece* pieces, std::uint32_t n, std::uint32_t* least,
               std::uint32_t* hits, std::uint64_t stride) {
    extern __shared__ uint4 shared_table[];
    const std::uint32_t group = blockIdx.x, lane = threadIdx.x % warp_lanes;
    const std::uint32_t* table = groups.table + groups.begin[group];
    if constexpr (shared) {
        const uint4* from = reinterpret_cast<const uint4*>(table);
        for (std::uint32_t i = threadIdx.x; i < groups.classes * words * warp_lanes / 4; i += block_threads)
            shared_table[i] = from[i];
        __syncthreads();
        table = reinterpret_cast<const std::uint32_t*>(shared_table);
    }
    table += lane;
    const auto row = [&](std::uint32_t symbol) {
        if constexpr (!shared) {
            if (groups.row_of != nullptr) symbol = groups.row_of[std::size_t{group} * groups.classes + symbol];
        }
        return table + symbol * (words * warp_lanes);
    };
    const std::uint32_t slot = group * warp_lanes + lane;
    const std::uint32_t length = groups.length[slot];
    const int bound = static_cast<int>(groups.bound[slot]);
    const std::uint32_t end = min(n, (blockIdx.y + 1) * block_texts);
    for (std::uint32_t t = blockIdx.y * block_texts + threadIdx.x / warp_lanes; t < end; t += block_warps) {
        const TextPiece piece = pieces[t];
        if (hits != nullptr && __all_sync(all_lanes, too_unlike<whole>(length, piece.length, bound))) continue;
        Matcher<words, whole> matcher(length);
        matcher.run(texts + piece.begin, piece.length, row, [&](std::uint32_t left) {
            return hits != nullptr && __all_sync(all_lanes, matcher.decided(bound, left));
        });
        if (hits != nullptr) {
            const std::uint32_t found = __ballot_sync(all_lanes, matcher.least <= bound);
            if (lane == 0 && found != 0) atomicOr(&hits[piece.result * (stride / warp_lanes) + group], found);
        } else {
            atomicMin(&least[piece.result * stride + slot], static_cast<std::uint32_t>(matcher.least));
        }
    }
}

// One thread per pair; tables are read through the caches.
template <int words, bool whole, class Symbol>
__global__ void __launch_bounds__(block_threads)
    match_pairs(DeviceGroups groups, const Symbol* texts, const TextPiece* pieces, const PiecePair* pairs,
                std::uint32_t n, bool decide, std::uint32_t* distances) {
    const std::uint32_t i = blockIdx.x * block_threads + threadIdx.x;
    if (i >= n) return;
    const PiecePair pair = pairs[i];
    const TextPiece piece = pieces[pair.piece];
    const std::uint32_t group = pair.slot / warp_lanes;
    const std::uint32_t* table = groups.table + groups.begin[group] + pair.slot % warp_lanes;
    const auto row = [&](std::uint32_t symbol) {
        if (groups.row_of != nullptr) symbol = groups.row_of[std::size_t{group} * groups.classes + symbol];
        return table + symbol * (words * warp_lanes);
    };
    const int bound = static_cast<int>(groups.bound[pair.slot]);
    Matcher<words, whole> matcher(groups.length[pair.slot]);
    matcher.run(texts + piece.begin, piece.length, row,
                [&](std::uint32_t left) { return decide && matcher.decided(bound, left); });
    distances[i] = decide ? matcher.least <= bound : static_cast<std::uint32_t>(matcher.least);
}

template <int words, bool whole, bool shared, class Symbol>
void launch_many(const DeviceGroups& groups, const Symbol* texts, const TextPiece* pieces, std::uint32_t n,
                 std::uint32_t* least, std::uint32_t* hits, std::uint64_t stride, cudaStream_t stream) {
    const auto kernel = match_many<words, whole, shared, Symbol>;
    const std::size_t bytes = shared ? std::size_t{groups.classes} * words * warp_lanes * sizeof(std::uint32_t) : 0;
    if (shared) {
        cuda::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         static_cast<int>(shared_table_max)),
                    "shared memory of match_many");
    }
    // A grid is at most 65,535 blocks high.
    constexpr std::uint32_t texts_of_a_launch = 65'535 * block_texts;
    for (std::uint32_t first = 0; first < n; first += texts_of_a_launch) {
        const std::uint32_t count = std::min(n - first, texts_of_a_launch);
        const dim3 grid(groups.groups, (count + block_texts - 1) / block_texts);
        kernel<<<grid, block_threads, bytes, stream>>>(groups, texts, pieces + first, count, least, hits, stride);
        cuda::check_launch("match_many");
    }
}

}  // namespace

template <int words, class Symbol>
void MyersWords<words, Symbol>::enqueue_many(const DeviceGroups& groups, Extent extent, const Symbol* texts,
                                             const TextPiece* pieces, std::uint32_t n, std::uint32_t* least,
                                             std::uint32_t* hits, std::uint64_t stride, cudaStream_t stream) {
    const auto launch = [&](auto whole, auto shared) {
        launch_many<words, whole(), shared(), Symbol>(groups, texts, pieces, n, least, hits, stride, stream);
    };
    const auto with_extent = [&](auto shared) {
        extent == Extent::whole ? launch(std::true_type{}, shared) : launch(std::false_type{}, shared);
    };
    const bool in_shared = myers_table_in_shared(words, groups.classes);
    in_shared ? with_extent(std::true_type{}) : with_extent(std::false_type{});
}

template <int words, class Symbol>
void MyersWords<words, Symbol>::enqueue_pairs(const DeviceGroups& groups, Extent extent, const Symbol* texts,
                                              const TextPiece* pieces, const PiecePair* pairs, std::uint32_t n,
                                              bool decide, std::uint32_t* distances, cudaStream_t stream) {
    const std::uint32_t blocks = (n + block_threads - 1) / block_threads;
    const auto launch = [&](auto whole) {
        match_pairs<words, whole(), Symbol>
            <<<blocks, block_threads, 0, stream>>>(groups, texts, pieces, pairs, n, decide, distances);
    };
    extent == Extent::whole ? launch(std::true_type{}) : launch(std::false_type{});
    cuda::check_launch("match_pairs");
}

}  // namespace sluice::edits
