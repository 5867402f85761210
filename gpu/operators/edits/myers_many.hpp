// Unit-cost matching of many patterns against many texts on the GPU. A lane has one pattern, a warp 32 patterns and one
// text. The warps of a block have different texts but the same patterns, whose match table is in shared memory. Host
// functions enqueue into the stream and throw CudaError; the caller owns the buffers.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include "gpu/operators/edits/myers_kernel.hpp"

namespace sluice::edits {

// Longer patterns do not fit into a thread's registers.
inline constexpr std::uint32_t lane_words_max = 32;

// A text or a part of one: `length` symbols from `begin` on, which is a multiple of 16 / sizeof(symbol). Symbols of
// class 0, which are in no pattern, pad it to such a multiple. result: its row in the results.
struct TextPiece {
    std::uint64_t begin;
    std::uint32_t length, result;
};

// Groups of 32 patterns of up to 32 * words characters. Slot s is lane s % 32 of group s / 32.
struct DeviceGroups {
    std::uint32_t words;            // 1, 2, 4, 8, 16 or 32
    std::uint32_t groups, classes;  // symbols are below `classes`
    // table[begin[group] + (row * words + w) * 32 + lane]: the places of a character. Its row is row_of[group * classes
    // + symbol] or, if row_of is null, the symbol itself.
    const std::uint32_t* table;
    const std::uint64_t* begin;
    const std::uint16_t* row_of;
    // [slot]; unused slots have length 0 and bound 0.
    const std::uint32_t* length;
    const std::uint32_t* bound;  // k, or 0 if distances are wanted
};

// Whether a group's table goes into shared memory; then row_of must be null.
bool myers_table_in_shared(std::uint32_t words, std::uint32_t classes);

// Symbol: std::uint8_t or std::uint16_t. pieces[0 … n - 1].
// Distances: least[result * stride + slot] becomes the minimum of its old value and the distance.
// Hits, if `hits` is not null: bit s % 32 of hits[result * stride / 32 + s / 32] is set if slot s is within its bound.
// A warp then ends as soon as all its patterns are decided.
// stride: a multiple of 32, at least the number of slots.
template <class Symbol>
void enqueue_myers_many(const DeviceGroups& groups, Extent extent, const Symbol* texts, const TextPiece* pieces,
                        std::uint32_t n, std::uint32_t* least, std::uint32_t* hits, std::uint64_t stride,
                        cudaStream_t stream);

struct PiecePair {
    std::uint32_t piece, slot;
};
// The same for pairs, one per thread: distances[i] of pairs[i], or with `decide` 1 if it is within the bound, else 0.
template <class Symbol>
void enqueue_myers_pairs(const DeviceGroups& groups, Extent extent, const Symbol* texts, const TextPiece* pieces,
                         const PiecePair* pairs, std::uint32_t n, bool decide, std::uint32_t* distances,
                         cudaStream_t stream);

}  // namespace sluice::edits
