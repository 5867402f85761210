// The occurrences that one thread finds in its part of a text: a list of limited length, or only their number. Used by
// one thread at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/tools/search/substrings.hpp"

namespace sluice::substrings {

// The number of parts, at most one for each thread, so that a part has at least `part_bytes_min` bytes.
inline std::size_t part_count(std::size_t bytes, unsigned threads, std::size_t part_bytes_min = 4096) {
    return std::clamp<std::size_t>(bytes / part_bytes_min, 1, std::max(threads, 1u));
}

struct alignas(64) PartOccurrences {  // a cache line of its own, as each thread counts in its own
    std::size_t offset = 0;           // of the part in the text
    std::size_t begins = 0;           // an occurrence counts if it begins before this byte of the part
    std::size_t most = 0;             // the longest list; 0: no list
    std::vector<Occurrence> list;
    std::uint64_t number = 0;
    bool overflow = false;  // there are more than `most`; then the list is useless

    void add(std::uint32_t pattern, std::size_t at) {
        if (at >= begins) return;
        ++number;
        if (most == 0) return;
        if (list.size() < most)
            list.push_back({pattern, static_cast<std::uint32_t>(offset + at)});
        else
            overflow = true;
    }
};

}  // namespace sluice::substrings
