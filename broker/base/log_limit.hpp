// Limits the rate of log lines: some lines of each message at once, then one per interval. For events that clients can
// cause as often as they like, and for failures that recur at every attempt, on each of several devices. Any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "broker/base/token_bucket.hpp"

namespace sluice::base {

class LogLimit {
public:
    using Clock = TokenBucket::Clock;
    static constexpr std::size_t messages_max = 256;  // remembered; all are forgotten when one more comes

    LogLimit(std::int64_t at_once_max, Clock::duration interval) : at_once_max_(at_once_max), interval_(interval) {}

    // Returns how many lines with this message were left out since the last one, or no value if this one must be left
    // out, too.
    std::optional<std::uint64_t> take(std::string_view message, Clock::time_point now) {
        const std::lock_guard lock(mutex_);
        auto found = messages_.find(message);
        if (found == messages_.end()) {
            if (messages_.size() == messages_max) messages_.clear();
            found = messages_.try_emplace(std::string(message)).first;
        }
        Message& of = found->second;
        if (of.lines.take(now, interval_, at_once_max_)) {
            ++of.left_out;
            return std::nullopt;
        }
        return std::exchange(of.left_out, 0);
    }
    // Forgets all messages.
    void forget() {
        const std::lock_guard lock(mutex_);
        messages_.clear();
    }

private:
    struct Message {
        TokenBucket lines;
        std::uint64_t left_out = 0;
    };

    const std::int64_t at_once_max_;
    const Clock::duration interval_;
    std::mutex mutex_;
    std::map<std::string, Message, std::less<>> messages_;
};

}  // namespace sluice::base
