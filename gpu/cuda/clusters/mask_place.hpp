// Where the mask of a literal for a word of events is in a batch's memory: masks[mask_at(word, stride, literal)]. In
// size_t, since 32 words of 2^27 literals are more than 32 bits can number. For the host and for kernels.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::cuda {

constexpr std::size_t mask_at(std::uint32_t word, std::uint32_t stride, std::uint32_t literal) {
    return std::size_t{word} * stride + literal;
}

}  // namespace sluice::cuda
