// The places of the characters of one pattern, as lists: for a pattern with so many different characters that its
// MatchTable would be large. Bits are as in MatchTable: the pattern ends at the highest bit of its last word, with
// padding below. Built once, then read by any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/operators/edits/alphabet.hpp"
#include "gpu/operators/edits/pattern_size.hpp"

namespace sluice::edits {

struct PlaceList {
    std::vector<std::uint32_t> begin;   // [class], and one more: the index in `places` of its first place
    std::vector<std::uint32_t> places;  // bits of the pattern's words
    std::uint64_t inside = 0;           // the bits of the first word that are not padding
    std::uint64_t padding = 0;          // the padding bits, if they match every character

    // Classes are below `classes`; the pattern is not empty and has 64-bit words.
    PlaceList(std::span<const std::uint32_t> pattern, std::uint32_t classes, bool padding_matches)
        : begin(classes + 1, 0), places(pattern.size()) {
        for (const std::uint32_t c : pattern) ++begin[c];
        for (std::uint32_t c = 1; c <= classes; ++c) begin[c] += begin[c - 1];
        const std::size_t below = 64 * pattern_words(pattern.size()) - pattern.size();
        for (std::size_t i = pattern.size(); i-- > 0;)
            places[--begin[pattern[i]]] = static_cast<std::uint32_t>(below + i);
        inside = ~std::uint64_t{0} << below;
        padding = padding_matches ? ~inside : 0;
    }

    static std::size_t bytes_of(PatternSize p) {
        return sizeof(std::uint32_t) * (Alphabet::other + 2 + p.distinct + p.characters);
    }
};

}  // namespace sluice::edits
