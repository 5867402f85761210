// Calls function(0), …, function(n - 1) on several threads: RocksDB sleeps for a second when a flush has failed.
// Catch's assertions belong to the main thread, so what the functions find they return.
#pragma once

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace sluice::testing {

template <class Function>
auto in_parallel(std::size_t n, const Function& function) {
    constexpr std::size_t threads_max = 32;
    std::vector<decltype(function(n))> results(n);
    std::atomic<std::size_t> next{0};
    std::vector<std::thread> threads;
    while (threads.size() < threads_max && threads.size() < n)
        threads.emplace_back([&] {
            for (std::size_t i = next++; i < n; i = next++) results[i] = function(i);
        });
    for (std::thread& thread : threads) thread.join();
    return results;
}

}  // namespace sluice::testing
