// The inner loops of the filter searcher: the places of a text at which a pattern of a group may stand. Compiled for
// several instruction sets, of which the best that the processor has is chosen at run time. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gpu/operators/exact/window.hpp"

namespace sluice::exact {

// Lets through what has one of many grams: bit (hash >> shift) of the bitmap.
struct GramFilter {
    WindowShape gram;
    std::uint32_t stride = 1;  // 1, 2 or 4: only every stride-th place of a text is asked for
    std::uint32_t shift = 0;
    const std::uint32_t* bitmap = nullptr;
};

// Lets through what agrees with one of eight sets of windows in each of its first bytes: table k has, for a byte, the
// sets (bits) that have it as their byte k. By the low six bits of the byte, or by its low and its high half.
struct ByteFilter {
    static constexpr std::uint32_t bytes_max = 8;

    std::uint32_t bytes = 0;
    alignas(64) std::uint8_t by_low_bits[bytes_max][64] = {};
    alignas(16) std::uint8_t by_low_half[bytes_max][16] = {};
    alignas(16) std::uint8_t by_high_half[bytes_max][16] = {};
};

// Write the places in [begin, end) that the filter lets through, ascending, and say how many. `begin` is a multiple
// of the stride; every gram or window that begins below `end` lies within the text; no byte beyond it is read. There is
// room for end - begin + places_slack.
constexpr std::size_t places_slack = 64;
template <class Filter>
using FilterScan = std::size_t (*)(const Filter& filter, const char* text, std::size_t text_size, std::size_t begin,
                                   std::size_t end, std::uint32_t* places);

struct FilterKernels {
    const char* name;
    FilterScan<GramFilter> grams;
    FilterScan<ByteFilter> bytes;
};

// Those that this processor can run and this build has, the best last; never empty.
std::span<const FilterKernels> filter_kernels();

}  // namespace sluice::exact
