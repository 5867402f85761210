// Keeps the memory budget honest. A thread measures the process's resident memory, charges the uncharged part as
// MemoryUse::overhead and returns free memory to the kernel. While new work is being refused, it makes other components
// release memory that they can spare. Created and destroyed by one thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>

#include "broker/base/memory_budget.hpp"

namespace sluice::base {

// Estimates the overhead to charge to a budget, from one measurement of the process to the next.
class OverheadEstimate {
public:
    // `charged` is the sum over all uses except overhead. Moves halfway towards the observed value, since a charge and
    // its memory appear and disappear at different instants.
    std::size_t update(std::size_t resident, std::size_t charged) {
        const std::size_t seen = resident > charged ? resident - charged : 0;
        bytes_ = (bytes_ + seen) / 2;
        return bytes_;
    }

private:
    std::size_t bytes_ = 0;
};

class MemoryKeeper {
public:
    static constexpr std::chrono::milliseconds interval{50};

    // The keeper's thread calls `relieve` once per interval while the budget is short. It may throw.
    MemoryKeeper(MemoryBudget& budget, std::function<void()> relieve);
    ~MemoryKeeper();

private:
    using Clock = std::chrono::steady_clock;

    void run();
    void observe();
    bool is_short();
    void give_back(std::size_t overhead, bool is_near);

    MemoryBudget& budget_;
    const std::function<void()> relieve_;
    OverheadEstimate estimate_;
    std::size_t refusals_ = 0;  // of the budget, at the last check
    Clock::time_point next_trim_{};
    Clock::duration trim_pause_{};
    std::mutex mutex_;
    std::condition_variable stop_;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace sluice::base
