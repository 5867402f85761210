// Distances of (text, pattern) pairs with any costs on the GPU, one pair per thread. Host functions enqueue into the
// stream and throw CudaError; the caller owns the buffers.
//
// Characters are symbols of 8 bits. Text symbol `other` is a character of no pattern; in a pattern it pads the front.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include "gpu/operators/edits/myers_kernel.hpp"

namespace sluice::edits {

inline constexpr std::uint32_t weighted_symbols = 256, other_symbol = 255;
inline constexpr std::uint32_t weighted_rows_max = 32;  // of the matrix in a thread's registers at once

struct WeightedCosts {
    int deletion, insertion;
    // [x * 256 + y], aligned to 16 bytes: the cost of turning x of the pattern into y of the text. For x = other_symbol
    // it must be 0 for substrings and at least `insertion` for whole texts, so that padding changes nothing.
    const std::uint8_t* substitution;
};

struct WeightedPattern {
    std::uint32_t begin;  // of its symbols; a multiple of 4
    std::uint32_t padded, padding;
};

// texts[text … text + length - 1] is a text or a part of one; `text` is a multiple of 4.
struct WeightedTask {
    std::uint64_t text;
    std::uint32_t length, pattern, result;
};

struct WeightedInput {
    const WeightedTask* tasks;
    std::uint32_t count;
    const WeightedPattern* patterns;
    const std::uint8_t *pattern_symbols, *texts;
    // For tasks whose patterns have more than `rows` symbols: room for `threads` words for each symbol of the longest
    // text. Else null.
    std::uint32_t* boundary;
};

// The number of threads that suits so many tasks.
std::uint32_t weighted_threads(std::uint32_t rows, std::uint32_t count, int multiprocessors);

// rows: 8, 16 or 32; all patterns are padded to multiples of it. results[result] becomes the minimum of its old value
// and the distance. threads: a multiple of 256.
void enqueue_weighted(std::uint32_t rows, const WeightedInput& input, Extent extent, const WeightedCosts& costs,
                      std::uint32_t threads, std::uint32_t* results, cudaStream_t stream);

}  // namespace sluice::edits
