// The inner loops of the filter searcher: they find the places of a text where a pattern of a group may be. Compiled
// for several instruction sets; the best one that the processor supports is chosen at run time. Pure functions,
// callable from any thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/operators/substrings/window.hpp"
#include "gpu/simd/instruction_set.hpp"

namespace sluice::substrings {

// Lets a place through if it has one of many grams: tests bit (hash >> shift) of the bitmap.
struct GramFilter {
    WindowShape gram;
    std::uint32_t stride = 1;  // 1, 2 or 4: only every stride-th place of a text is tested
    std::uint32_t shift = 0;
    const std::uint32_t* bitmap = nullptr;
};

// Lets a place through if one of eight sets of windows agrees with each of its first bytes. For each byte value, table
// k holds the sets (as bits) with a window that has it as byte k. The index is the low six bits of the byte, or its low
// and its high half.
struct ByteFilter {
    static constexpr std::uint32_t bytes_max = 8;

    std::uint32_t bytes = 0;
    alignas(64) std::uint8_t by_low_bits[bytes_max][64] = {};
    alignas(16) std::uint8_t by_low_half[bytes_max][16] = {};
    alignas(16) std::uint8_t by_high_half[bytes_max][16] = {};
};

// Writes the places in [begin, end) that the filter lets through, ascending, and returns their number. `begin` is a
// multiple of the stride. Every gram or window that begins below `end` lies within the text; no byte past the text is
// read. `places` has room for end - begin + places_slack.
constexpr std::size_t places_slack = 64;
template <class Filter>
using FilterScan = std::size_t (*)(const Filter& filter, const char* text, std::size_t text_size, std::size_t begin,
                                   std::size_t end, std::uint32_t* places);

struct FilterKernels {
    FilterScan<GramFilter> grams;
    FilterScan<ByteFilter> bytes;
};

const FilterKernels& filter_kernels(simd::InstructionSet set);

}  // namespace sluice::substrings
