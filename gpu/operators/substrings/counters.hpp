// The work of searches for substrings. Plain values.
#pragma once

#include <cstdint>

namespace sluice::substrings {

struct Counters {
    std::uint64_t texts = 0, bytes = 0;
    std::uint64_t filter_hits = 0;  // places that the filter let through
    std::uint64_t verified = 0;     // comparisons of a pattern with a place in a text
    std::uint64_t hits = 0;

    Counters& operator+=(const Counters& other) {
        texts += other.texts;
        bytes += other.bytes;
        filter_hits += other.filter_hits;
        verified += other.verified;
        hits += other.hits;
        return *this;
    }
};

}  // namespace sluice::substrings
