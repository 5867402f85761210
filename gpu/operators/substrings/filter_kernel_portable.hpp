// The filters' loops without vector instructions. In an unnamed namespace, because each file that includes this one is
// compiled for a different instruction set.
#pragma once

#include <algorithm>
#include <cstring>

#include "gpu/operators/substrings/filter_kernel.hpp"

namespace sluice::substrings {
namespace {

template <int Words>
std::size_t portable_grams_of(const GramFilter& filter, const char* text, std::size_t text_size, std::size_t begin,
                              std::size_t end, std::uint32_t* places) {
    constexpr std::size_t bytes = 4 * std::size_t{Words};
    std::size_t count = 0;
    const auto pass = [&](std::size_t place, const std::uint32_t* word) {
        std::uint32_t hash = (word[Words - 1] & filter.gram.last_mask) * window_multiplier(Words - 1);
        for (int i = 0; i < Words - 1; ++i) hash += word[i] * window_multiplier(i);
        const std::uint32_t bit = hash >> filter.shift;
        places[count] = static_cast<std::uint32_t>(place);
        count += (filter.bitmap[bit >> 5] >> (bit & 31)) & 1;
    };
    std::uint32_t word[bytes / 4];
    std::size_t place = begin;
    const std::size_t whole = text_size < bytes ? 0 : std::min(end, text_size - bytes + 1);
    for (; place < whole; place += filter.stride) {
        std::memcpy(word, text + place, bytes);
        pass(place, word);
    }
    for (; place < end; place += filter.stride) {
        std::memcpy(word, text + place, filter.gram.bytes);
        pass(place, word);
    }
    return count;
}

inline std::size_t portable_grams(const GramFilter& filter, const char* text, std::size_t text_size, std::size_t begin,
                                  std::size_t end, std::uint32_t* places) {
    switch (filter.gram.words()) {
        case 1:
            return portable_grams_of<1>(filter, text, text_size, begin, end, places);
        case 2:
            return portable_grams_of<2>(filter, text, text_size, begin, end, places);
        case 3:
            return portable_grams_of<3>(filter, text, text_size, begin, end, places);
        default:
            return portable_grams_of<4>(filter, text, text_size, begin, end, places);
    }
}

inline std::size_t portable_bytes(const ByteFilter& filter, const char* text, std::size_t, std::size_t begin,
                                  std::size_t end, std::uint32_t* places) {
    std::size_t count = 0;
    for (std::size_t place = begin; place < end; ++place) {
        unsigned sets = 0xff;
        for (std::uint32_t k = 0; k < filter.bytes && sets != 0; ++k)
            sets &= filter.by_low_bits[k][static_cast<unsigned char>(text[place + k]) & 63];
        places[count] = static_cast<std::uint32_t>(place);
        count += sets != 0;
    }
    return count;
}

}  // namespace
}  // namespace sluice::substrings
