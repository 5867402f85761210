// Limits the rate of log lines: `at_once_max` lines of each message at once, then one a second. For events that clients
// can cause as often as they like, but not for lines of debug and trace, which report each of them. Any thread.
#pragma once

#include <chrono>
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
    static constexpr std::int64_t at_once_max = 10;
    static constexpr std::chrono::seconds interval{1};

    // Returns how many lines with this message were left out since the last one, or no value if this one must be left
    // out, too. The number of messages is bounded by the number of log statements in the source.
    std::optional<std::uint64_t> take(std::string_view message, Clock::time_point now) {
        const std::lock_guard lock(mutex_);
        auto found = messages_.find(message);
        if (found == messages_.end()) found = messages_.try_emplace(std::string(message)).first;
        Message& of = found->second;
        if (of.lines.take(now, interval, at_once_max)) {
            ++of.left_out;
            return std::nullopt;
        }
        return std::exchange(of.left_out, 0);
    }

private:
    struct Message {
        TokenBucket lines;
        std::uint64_t left_out = 0;
    };

    std::mutex mutex_;
    std::map<std::string, Message, std::less<>> messages_;
};

}  // namespace sluice::base
