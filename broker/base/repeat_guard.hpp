// Says which messages a log need not repeat: one that is the same as the one before it, within an hour. For failures
// that are met again at every attempt. Any thread.
#pragma once

#include <chrono>
#include <mutex>
#include <string>

namespace sluice {

class RepeatGuard {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::hours forgotten_after{1};

    bool is_new(const std::string& message, Clock::time_point now) {
        const std::lock_guard lock(mutex_);
        if (message == last_ && now - at_ < forgotten_after) return false;
        last_ = message;
        at_ = now;
        return true;
    }
    // What comes next is new.
    void forget() {
        const std::lock_guard lock(mutex_);
        last_.clear();
    }

private:
    std::mutex mutex_;
    std::string last_;
    Clock::time_point at_{};
};

}  // namespace sluice
