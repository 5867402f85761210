// What the kernels for unit costs match: patterns, and texts or parts of them. Pointers are to device memory.
#pragma once

#include <cstdint>

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

struct PiecePair {
    std::uint32_t piece, slot;
};

}  // namespace sluice::edits
