// The masks of a batch's literals on the device, as kernels get them. Plain values.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::cuda {

// Where the mask of a literal for a word of events is in a batch's memory. In size_t, since 32 words of 2^27 literals
// are more than 32 bits can number. For the host and for kernels.
constexpr std::size_t mask_at(std::uint32_t word, std::uint32_t stride, std::uint32_t literal) {
    return std::size_t{word} * stride + literal;
}

// masks[mask_at(w, stride, literal)]: bit e says that the literal holds for event 32 * w + e; bits of events that are
// not in the batch are 0. stride is a multiple of 32 and at least the number of literals.
struct MaskView {
    std::uint32_t* masks = nullptr;
    std::uint32_t stride = 0;
};

}  // namespace sluice::cuda
