// Unit-cost matching of many patterns against many texts on the GPU. A lane has one pattern, a warp 32 patterns and one
// text. The warps of a block have different texts but the same patterns, whose match table is in shared memory. Host
// functions enqueue into the stream and throw CudaError; the caller owns the buffers.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include "gpu/operators/edits/cuda/myers_operands.hpp"
#include "gpu/operators/edits/myers_kernel.hpp"

namespace sluice::edits {

// Symbol: std::uint8_t or std::uint16_t. pieces[0 … n - 1].
// Distances: least[result * stride + slot] becomes the minimum of its old value and the distance.
// Hits, if `hits` is not null: bit s % 32 of hits[result * stride / 32 + s / 32] is set if slot s is within its bound.
// A warp then ends as soon as all its patterns are decided.
// stride: a multiple of 32, at least the number of slots.
template <class Symbol>
void enqueue_myers_many(const DeviceGroups& groups, Extent extent, const Symbol* texts, const TextPiece* pieces,
                        std::uint32_t n, std::uint32_t* least, std::uint32_t* hits, std::uint64_t stride,
                        cudaStream_t stream);

// The same for pairs, one per thread: distances[i] of pairs[i], or with `decide` 1 if it is within the bound, else 0.
template <class Symbol>
void enqueue_myers_pairs(const DeviceGroups& groups, Extent extent, const Symbol* texts, const TextPiece* pieces,
                         const PiecePair* pairs, std::uint32_t n, bool decide, std::uint32_t* distances,
                         cudaStream_t stream);

}  // namespace sluice::edits
