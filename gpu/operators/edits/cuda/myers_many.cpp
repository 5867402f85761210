#include "gpu/operators/edits/cuda/myers_many.hpp"

#include "gpu/operators/edits/cuda/myers_words.hpp"

namespace sluice::edits {

namespace {

// Calls f with the launches for a number of words.
template <class Symbol, class F>
void with_words(std::uint32_t words, F f) {
    switch (words) {
        case 1:
            return f(MyersWords<1, Symbol>{});
        case 2:
            return f(MyersWords<2, Symbol>{});
        case 4:
            return f(MyersWords<4, Symbol>{});
        case 8:
            return f(MyersWords<8, Symbol>{});
        case 16:
            return f(MyersWords<16, Symbol>{});
        default:
            return f(MyersWords<32, Symbol>{});
    }
}

}  // namespace

template <class Symbol>
void enqueue_myers_many(const DeviceGroups& groups, Extent extent, const Symbol* texts, const TextPiece* pieces,
                        std::uint32_t n, std::uint32_t* least, std::uint32_t* hits, std::uint64_t stride,
                        cudaStream_t stream) {
    if (groups.groups == 0 || n == 0) return;
    with_words<Symbol>(groups.words, [&](auto launches) {
        launches.enqueue_many(groups, extent, texts, pieces, n, least, hits, stride, stream);
    });
}

template <class Symbol>
void enqueue_myers_pairs(const DeviceGroups& groups, Extent extent, const Symbol* texts, const TextPiece* pieces,
                         const PiecePair* pairs, std::uint32_t n, bool decide, std::uint32_t* distances,
                         cudaStream_t stream) {
    if (n == 0) return;
    with_words<Symbol>(groups.words, [&](auto launches) {
        launches.enqueue_pairs(groups, extent, texts, pieces, pairs, n, decide, distances, stream);
    });
}

template void enqueue_myers_many(const DeviceGroups&, Extent, const std::uint8_t*, const TextPiece*, std::uint32_t,
                                 std::uint32_t*, std::uint32_t*, std::uint64_t, cudaStream_t);
template void enqueue_myers_many(const DeviceGroups&, Extent, const std::uint16_t*, const TextPiece*, std::uint32_t,
                                 std::uint32_t*, std::uint32_t*, std::uint64_t, cudaStream_t);
template void enqueue_myers_pairs(const DeviceGroups&, Extent, const std::uint8_t*, const TextPiece*, const PiecePair*,
                                  std::uint32_t, bool, std::uint32_t*, cudaStream_t);
template void enqueue_myers_pairs(const DeviceGroups&, Extent, const std::uint16_t*, const TextPiece*, const PiecePair*,
                                  std::uint32_t, bool, std::uint32_t*, cudaStream_t);

}  // namespace sluice::edits
