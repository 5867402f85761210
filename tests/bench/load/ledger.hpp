// Tracks which deliveries are still due: every delivery is checked off against the expected ones, so that lost,
// repeated and wrong ones are all seen. Belongs to one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "tests/bench/load/workload.hpp"

namespace sluice::load {

using Clock = std::chrono::steady_clock;

// Times in microseconds.
struct Latencies {
    std::vector<std::uint32_t> samples_us;

    void add(Clock::duration time);
    std::uint32_t quantile_us(double q);  // reorders the samples; 0 if there are none
};

class Ledger {
public:
    // `intended` is when the item should have been sent, which is when its latency begins.
    void published(std::uint64_t number, Clock::time_point intended, const Receivers& receivers);
    void refused(std::uint64_t number);  // the broker refused it: nobody receives it
    void received(std::uint64_t number, std::size_t connection, Clock::time_point now);

    std::uint64_t outstanding() const { return expected_ - received_; }
    std::uint64_t expected() const { return expected_; }
    std::uint64_t received() const { return received_; }
    std::uint64_t unexpected() const { return unexpected_; }  // repeated, or not for that connection
    Latencies& latencies() { return latencies_; }

private:
    struct Item {
        Clock::time_point intended;
        Receivers missing;
    };

    std::deque<Item> items_;   // the oldest item that somebody misses, and all after it
    std::uint64_t first_ = 0;  // number of items_.front()
    std::uint64_t expected_ = 0, received_ = 0, unexpected_ = 0;
    Latencies latencies_;
};

}  // namespace sluice::load
