// Unit-cost matching on the GPU, one pattern against long texts: a pattern lies across the lanes of a warp (or of a
// part of one), which run two columns behind each other; a long text is cut into parts that overlap (parts.hpp), one a
// warp, so that the chip is full. Host functions enqueue into the stream and throw CudaError; buffers are the caller's.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <span>
#include <vector>

#include "gpu/operators/approximate/match_table.hpp"
#include "gpu/operators/approximate/myers_many.hpp"

namespace sluice::approximate {

inline constexpr std::uint32_t lane_rows = 32;  // of a word
// Before and after a text there must be this many symbols that are in no pattern.
inline constexpr std::uint32_t long_margin = 96;

// How a pattern of m characters (1 … pattern_characters_max) lies in a warp: `lanes` (1, 2, 4, … 32) lanes of `words`
// (1, 2, 4, 8 or 16) words.
struct LongLayout {
    std::uint32_t lanes, words;
};
LongLayout long_layout(std::uint32_t m);

// The pattern's table for the device: [(row * words + w) * 32 + lane], `rows` rows; row 0 is of all other characters.
struct LongTable {
    LongLayout layout;
    std::uint32_t m, rows;
    std::vector<std::uint32_t> row_of;  // [class]: its row
    std::vector<std::uint32_t> table;
};
LongTable long_table(std::span<const std::uint32_t> pattern, std::uint32_t classes);

struct DeviceLongPattern {
    LongLayout layout;
    std::uint32_t m, rows;
    const std::uint32_t* row_of;
    const std::uint32_t* table;
    std::uint32_t bound;  // a part's search ends when this is reached; 0: the least distance is wanted
};

// rows[i] = row_of[texts[i]] of n symbols.
template <class Symbol>
void enqueue_rows(const DeviceLongPattern& pattern, const Symbol* texts, std::uint64_t n, std::uint16_t* rows,
                  cudaStream_t stream);

// least[piece.result * stride] becomes the least of what it was and the distance from rows[begin … begin + length - 1];
// `begin` may be anything here.
void enqueue_myers_long(const DeviceLongPattern& pattern, const std::uint16_t* rows, const TextPiece* pieces,
                        std::uint32_t n, std::uint32_t* least, std::uint64_t stride, cudaStream_t stream);

// How many parts fill a device for this pattern: as many warps an SM as hide each other's latency, no more, because
// each part overlaps the next.
std::uint64_t long_parts(LongLayout layout, int multiprocessors);

}  // namespace sluice::approximate
