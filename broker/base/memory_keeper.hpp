// Keeps the memory budget honest. A thread measures the process's resident memory, charges the uncharged part as
// MemoryUse::overhead and returns free memory to the kernel. While new work is being refused, it makes other components
// release memory that they can spare. Created and destroyed by one thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "broker/base/memory/memory_budget.hpp"

namespace sluice::base {

// Estimates the overhead to charge to a budget, from one measurement of the process to the next.
class OverheadEstimate {
public:
    // `charged` is the sum over all uses except overhead. Moves halfway towards the observed value, since a charge and
    // its memory appear and disappear at different instants.
    std::size_t update(std::size_t resident, std::size_t charged) {
        const std::size_t seen = resident > charged ? resident - charged : 0;
        bytes_ = std::exchange(has_begun_, true) ? (bytes_ + seen) / 2 : seen;
        return bytes_;
    }

private:
    std::size_t bytes_ = 0;
    bool has_begun_ = false;
};

// Estimates the overhead of a broker that does nothing, from measurements of one that may be busy.
class IdleOverhead {
public:
    // `overhead`: the last OverheadEstimate; `charged`: as there. Ignores measurements while more than `idle_bytes` are
    // charged, and for some time thereafter. Of the others the least count, since memory is returned to the kernel
    // late.
    std::size_t update(std::size_t overhead, std::size_t charged, std::size_t idle_bytes) {
        constexpr std::size_t settling = 8, memory = 1'024;
        pause_ = charged > idle_bytes ? settling : pause_ - std::min<std::size_t>(pause_, 1);
        if (pause_ != 0) return bytes_;
        measurements_ = std::min(measurements_ + 1, memory);
        bytes_ = overhead < bytes_ ? overhead : bytes_ + (overhead - bytes_) / measurements_;
        return bytes_;
    }

private:
    std::size_t bytes_ = 0, measurements_ = 0, pause_ = 0;
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
    IdleOverhead idle_estimate_;
    std::size_t refusals_ = 0;  // of the budget, at the last check
    Clock::time_point next_trim_{};
    Clock::duration trim_pause_{};
    std::mutex mutex_;
    std::condition_variable stop_;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace sluice::base
