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

namespace sluice::auth {

class Attempts {
public:
    using Clock = std::chrono::steady_clock;

    static constexpr std::chrono::seconds interval{1};
    static constexpr std::size_t keys_max = 65'536;

    explicit Attempts(std::int64_t at_once, std::size_t most_keys = keys_max)
        : at_once_(at_once), most_keys_(most_keys) {}

    // Takes one. None: it may be tried; else the time after which to try again.
    [[nodiscard]] std::optional<Clock::duration> take(std::string_view key, Clock::time_point now);
    // Gives back what a try has taken, since it was right.
    void give_back(std::string_view key);

    std::size_t size() const;

private:
    using Times = std::unordered_map<std::string, Clock::time_point>;  // when a bucket is full again

    Clock::time_point* full_at_locked(std::string_view key, Clock::time_point now);

    const std::int64_t at_once_;
    const std::size_t most_keys_;
    mutable std::mutex mutex_;
    Times times_;
    Clock::time_point shared_{};  // of the keys without room
    Clock::time_point swept_at_{};
};

}  // namespace sluice::auth
