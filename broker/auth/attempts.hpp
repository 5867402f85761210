// Bounds how often something may be tried by somebody: so many times at once, then once a second. Each key has a bucket
// that refills. Bounded: keys that find no room share one bucket, so nobody gets more by using many. Any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "broker/base/token_bucket.hpp"

namespace sluice::auth {

class Attempts {
public:
    using Clock = base::TokenBucket::Clock;

    static constexpr std::chrono::seconds interval{1};
    static constexpr std::size_t keys_max = 65'536;

    explicit Attempts(std::int64_t at_once, std::size_t most_keys = keys_max)
        : at_once_(at_once), most_keys_(most_keys) {}

    // Takes one. None: it may be tried; else the time after which to try again.
    [[nodiscard]] std::optional<Clock::duration> take(std::string_view key, Clock::time_point now);
    // Gives back what a try has taken, since it was right: unless the key found no room, or has been forgotten since
    // because its bucket was full.
    void give_back(std::string_view key);

    std::size_t size() const;

private:
    base::TokenBucket& bucket_locked(std::string_view key, Clock::time_point now);

    const std::int64_t at_once_;
    const std::size_t most_keys_;
    mutable std::mutex mutex_;
    std::unordered_map<std::string, base::TokenBucket> buckets_;
    base::TokenBucket shared_;  // of the keys without room
    Clock::time_point swept_at_{};
};

}  // namespace sluice::auth
