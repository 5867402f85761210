// The filter conditions that exceeded a budget or took the most time, with their costs, for the broker's operators.
// Bounded: when the table is full, the condition that took the least time is dropped, and those that exceeded a budget
// last. Any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sluice::broker {

class CostlyConditions {
public:
    using Duration = std::chrono::steady_clock::duration;

    static constexpr std::size_t conditions_max = 256;
    static constexpr std::size_t text_bytes_max = 500;  // of a condition; longer ones are truncated

    struct Cost {
        std::uint64_t evaluations = 0;  // slow ones
        std::uint64_t undecided = 0;    // events
        Duration total{0};
        Duration slowest{0};
    };
    struct Entry {
        std::string text;  // UTF-8
        Cost cost;
    };

    // Returns true if this is the first known time that the condition left an event undecided.
    bool add(std::string_view condition, const Cost& cost);
    // At most `n` conditions: those that exceeded a budget, then the others; of each, the most expensive first.
    std::vector<Entry> worst(std::size_t n) const;

private:
    static bool is_worse(const Cost& a, const Cost& b);
    void make_room();

    mutable std::mutex mutex_;
    std::unordered_map<std::size_t, Entry> entries_;  // by hash of the whole text
};

}  // namespace sluice::broker
