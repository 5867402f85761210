// Says which messages a log need not repeat: those that it has had within an hour. For failures that are met again at
// every attempt, by each of several devices. Any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>

namespace sluice {

class RepeatGuard {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::hours forgotten_after{1};
    static constexpr std::size_t messages_max = 64;  // that are remembered

    bool is_new(const std::string& message, Clock::time_point now) {
        const std::lock_guard lock(mutex_);
        std::erase_if(told_, [&](const auto& each) { return now - each.second >= forgotten_after; });
        if (told_.size() == messages_max && !told_.contains(message)) told_.clear();
        return told_.try_emplace(message, now).second;
    }
    // Whatever comes next is new.
    void forget() {
        const std::lock_guard lock(mutex_);
        told_.clear();
    }

private:
    std::mutex mutex_;
    std::map<std::string, Clock::time_point> told_;
};

}  // namespace sluice
