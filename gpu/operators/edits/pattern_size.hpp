// The size of a pattern, on which the sizes of its tables depend. Plain values.
#pragma once

#include <cstddef>

namespace sluice::edits {

// The number of characters (or classes) of a pattern, and of different ones.
struct PatternSize {
    std::size_t characters = 0;
    std::size_t distinct = 0;
};

// The words of a pattern with this many characters, and their bytes: up to 32 characters take a 32-bit word.
constexpr std::size_t word_bytes(std::size_t characters) { return characters <= 32 ? 4 : 8; }
constexpr std::size_t pattern_words(std::size_t characters) {
    return (characters + 8 * word_bytes(characters) - 1) / (8 * word_bytes(characters));
}

}  // namespace sluice::edits
