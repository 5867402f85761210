// Unit-cost matching of one pattern against long texts on the GPU. The pattern lies across the lanes of a warp (or of a
// part of one), each two columns behind the one before. A long text is cut into overlapping parts (parts.hpp), one per
// warp, so that the chip is fully used. Host functions enqueue into the stream and throw CudaError; the caller owns the
// buffers.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <span>
#include <vector>

#include "gpu/operators/edits/cuda/myers_many.hpp"
#include "gpu/operators/edits/match_table.hpp"

namespace sluice::edits {

inline constexpr std::uint32_t lane_rows = 32;  // of a word
// Each text must have this many symbols that are in no pattern before and after it.
inline constexpr std::uint32_t long_margin = 96;

// The layout of a pattern of m characters (1 … pattern_characters_max) in a warp: `lanes` (1, 2, 4, … 32) lanes of
// `words` (1, 2, 4, 8 or 16) words.
struct LongLayout {
    std::uint32_t lanes, words;
};
LongLayout long_layout(std::uint32_t m);

// The pattern's table for the device: [(row * words + w) * 32 + lane], `rows` rows; row 0 is for all other characters.
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
    std::uint32_t bound;  // the search of a part ends at this distance; 0: the least distance is wanted
};

// rows[i] = row_of[texts[i]] for n symbols.
template <class Symbol>
void enqueue_rows(const DeviceLongPattern& pattern, const Symbol* texts, std::uint64_t n, std::uint16_t* rows,
                  cudaStream_t stream);

// least[piece.result * stride] becomes the minimum of its old value and the distance from rows[begin … begin + length -
// 1]. Here `begin` needs no alignment.
void enqueue_myers_long(const DeviceLongPattern& pattern, const std::uint16_t* rows, const TextPiece* pieces,
                        std::uint32_t n, std::uint32_t* least, std::uint64_t stride, cudaStream_t stream);

// The number of parts that fill a device for this pattern: as many warps per multiprocessor as hide each other's
// latency. More would only cost overlap.
std::uint64_t long_parts(LongLayout layout, int multiprocessors);

}  // namespace sluice::edits
