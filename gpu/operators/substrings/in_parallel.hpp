// Divides the work on one text among threads that live as long as the work. Any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace sluice::substrings {

// The number of parts, at most one for each thread, so that a part has at least `part_bytes_min` bytes.
inline std::size_t part_count(std::size_t bytes, unsigned threads, std::size_t part_bytes_min = 4096) {
    return std::clamp<std::size_t>(bytes / part_bytes_min, 1, std::max(threads, 1u));
}

// Calls work(part) for each part, all but the first on additional threads. Returns when all are done; then rethrows the
// exception of the first part that threw one.
template <class Work>
void in_parallel(std::size_t parts, const Work& work) {
    std::vector<std::exception_ptr> failures(parts);
    const auto guarded = [&](std::size_t part) {
        try {
            work(part);
        } catch (...) {
            failures[part] = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> threads;
        for (std::size_t part = 1; part < parts; ++part) threads.emplace_back(guarded, part);
        guarded(0);
    }
    for (const std::exception_ptr& failure : failures) {
        if (failure) std::rethrow_exception(failure);
    }
}

}  // namespace sluice::substrings
