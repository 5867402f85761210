// The launches of myers_many.hpp for patterns of one number of words: enqueue_myers_many() and enqueue_myers_pairs()
// choose among them. The parameters are theirs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>

#include "gpu/operators/edits/cuda/myers_operands.hpp"
#include "gpu/operators/edits/myers_kernel.hpp"

namespace sluice::edits {

constexpr std::uint32_t warp_lanes = 32;  // of a warp
// The most shared memory of a block; larger tables are read through the caches.
constexpr std::size_t shared_table_max = 200 * 1024;

// Whether a group's table goes into shared memory; then row_of must be null.
constexpr bool myers_table_in_shared(std::uint32_t words, std::uint32_t classes) {
    return std::size_t{classes} * words * warp_lanes * sizeof(std::uint32_t) <= shared_table_max;
}

template <int words, class Symbol>
struct MyersWords {
    static void enqueue_many(const DeviceGroups& groups, Extent extent, const Symbol* texts, const TextPiece* pieces,
                             std::uint32_t n, std::uint32_t* least, std::uint32_t* hits, std::uint64_t stride,
                             cudaStream_t stream);
    static void enqueue_pairs(const DeviceGroups& groups, Extent extent, const Symbol* texts, const TextPiece* pieces,
                              const PiecePair* pairs, std::uint32_t n, bool decide, std::uint32_t* distances,
                              cudaStream_t stream);
};

}  // namespace sluice::edits
