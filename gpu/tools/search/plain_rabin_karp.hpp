// The plain Rabin-Karp for many patterns (Nunes 2018, section 5.1), the thesis' baseline, on the CPU: for each length,
// a hash rolls over the text and is compared with the hashes of all patterns of that length. Immutable; usable from any
// thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "gpu/tools/search/part_occurrences.hpp"
#include "gpu/tools/search/pattern_pool.hpp"
#include "gpu/tools/search/rabin_karp.hpp"

namespace sluice::substrings {

class PlainRabinKarp {
public:
    // `parameters`: base and modulus. Empty patterns are ignored.
    explicit PlainRabinKarp(std::span<const Pattern> patterns, const RabinKarpParameters& parameters = {});

    // Adds all occurrences, until the list overflows.
    void search(std::string_view text, PartOccurrences& found) const;

private:
    // The patterns of one length, and their hashes in the same order.
    struct Length {
        std::size_t bytes = 0;
        std::uint64_t leading_power = 0;  // the weight of a window's first byte
        std::vector<std::uint32_t> patterns, hashes;
    };

    std::uint32_t hash(std::string_view text) const;
    void search(std::string_view text, const Length& length, PartOccurrences& found) const;
    void compare(std::string_view text, std::size_t at, std::uint32_t hash, const Length& length,
                 PartOccurrences& found) const;

    RabinKarpParameters parameters_;
    PatternPool pool_;
    std::vector<Length> lengths_;  // ascending
};

}  // namespace sluice::substrings
