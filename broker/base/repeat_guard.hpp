// Suppresses messages already logged within the last hour. For failures that recur at every attempt, on each of several
// devices. Any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>

namespace sluice::base {

class RepeatGuard {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::hours forgotten_after{1};
    static constexpr std::size_t messages_max = 64;  // remembered at once; all are forgotten when one more comes

    bool is_new(const std::string& message, Clock::time_point now) {
        const std::lock_guard lock(mutex_);
        std::erase_if(told_, [&](const auto& each) { return now - each.second >= forgotten_after; });
        if (told_.size() == messages_max && !told_.contains(message)) told_.clear();
        return told_.try_emplace(message, now).second;
    }
    // Forgets all messages.
    void forget() {
        const std::lock_guard lock(mutex_);
        told_.clear();
    }

private:
    std::mutex mutex_;
    std::map<std::string, Clock::time_point> told_;
};

}  // namespace sluice::base
