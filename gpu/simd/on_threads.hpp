// Divides work among threads that live as long as the work. Any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace sluice::simd {

// Calls work(t) for t from 0 to threads - 1: work(0) on the calling thread, the others on threads of their own. Where
// the system has no more threads, there are fewer calls, so the calls must take what there is to do from a common
// counter. Waits for all, and then rethrows the exception of the first that threw one. Returns the number of calls.
template <class Work>
std::size_t on_threads(std::size_t threads, const Work& work) {
    std::exception_ptr failure;
    std::atomic<bool> has_failed = false;
    const auto guarded = [&](std::size_t t) noexcept {
        try {
            work(t);
        } catch (...) {
            if (!has_failed.exchange(true)) failure = std::current_exception();
        }
    };
    std::size_t calls = 1;
    {
        std::vector<std::jthread> others;
        try {
            others.reserve(threads);
            for (; calls < threads; ++calls) others.emplace_back(guarded, calls);
        } catch (const std::exception&) {  // those that have started do all the work
        }
        guarded(0);
    }
    if (failure) std::rethrow_exception(failure);
    return calls;
}

}  // namespace sluice::simd
