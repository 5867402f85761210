// A rate limiter: a fixed number of tokens a second, with a burst after a pause. One atomic word holds the time when
// the bucket will be full again (generic cell rate algorithm). Any thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

namespace sluice::base {

class TokenBucket {
public:
    using Clock = std::chrono::steady_clock;

    // Takes a token from a bucket that gains one every `interval` and holds at most `tokens_max`. Returns no value on
    // success, else the time until a token is available.
    std::optional<Clock::duration> take(Clock::time_point now, Clock::duration interval, std::int64_t tokens_max) {
        const std::int64_t time = now.time_since_epoch().count();
        std::int64_t full_at = full_at_.load(std::memory_order_relaxed);
        for (;;) {
            const std::int64_t next = std::max(full_at, time) + interval.count();
            const std::int64_t wait = next - time - tokens_max * interval.count();
            if (wait > 0) return Clock::duration(wait);
            if (full_at_.compare_exchange_weak(full_at, next, std::memory_order_relaxed)) return std::nullopt;
        }
    }

    // Gives back a token that has been taken; a bucket that is full gains nothing by it.
    void give_back(Clock::duration interval) { full_at_.fetch_sub(interval.count(), std::memory_order_relaxed); }

    bool is_full(Clock::time_point now) const {
        return full_at_.load(std::memory_order_relaxed) <= now.time_since_epoch().count();
    }

private:
    std::atomic<std::int64_t> full_at_{0};
};

}  // namespace sluice::base
