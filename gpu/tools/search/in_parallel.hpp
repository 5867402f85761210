// Divides the work on one text among threads. Any thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "gpu/simd/on_threads.hpp"

namespace sluice::substrings {

// The number of parts, at most one for each thread, so that a part has at least `part_bytes_min` bytes.
inline std::size_t part_count(std::size_t bytes, unsigned threads, std::size_t part_bytes_min = 4096) {
    return std::clamp<std::size_t>(bytes / part_bytes_min, 1, std::max(threads, 1u));
}

// Calls work(part) for each part, on as many threads. Waits for all, and then rethrows an exception of one.
template <class Work>
void in_parallel(std::size_t parts, const Work& work) {
    std::atomic<std::size_t> next = 0;
    simd::on_threads(parts, [&](std::size_t) {
        for (std::size_t part = next++; part < parts; part = next++) work(part);
    });
}

}  // namespace sluice::substrings
