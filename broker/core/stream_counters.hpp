// Counts by stream. Since there may be very many streams, only the busiest have numbers of their own in metrics; the
// others are counted together. None of these numbers ever falls: a stream that gets its own begins with what
// has not been counted with the others, and one that loses it leaves what it had to the others. Any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "broker/base/metric.hpp"

namespace sluice::broker {

struct StreamCounts {
    base::Counter events, deliveries;
};
using StreamCountsPtr = std::shared_ptr<StreamCounts>;

class StreamCounters {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::size_t named_max = 50;
    static inline const std::string other_name = "(other)";  // no stream can have it
    static constexpr std::chrono::seconds renaming_interval{10};

    explicit StreamCounters(std::size_t named = named_max, std::function<Clock::time_point()> now = Clock::now)
        : named_max_(named), now_(std::move(now)) {}

    // Keep it, since finding it takes a lock. A stream that nobody holds is forgotten, by readings and when there are
    // twice as many as were held before: subscribers may name any streams, and nobody may ever read.
    StreamCountsPtr of(std::string_view stream);
    std::size_t size() const;  // streams that are not forgotten

    struct Numbers {
        std::uint64_t events = 0, deliveries = 0;
        std::uint64_t sum() const { return events + deliveries; }
        friend Numbers operator-(const Numbers& a, const Numbers& b) {
            return {a.events - b.events, a.deliveries - b.deliveries};
        }
        Numbers& operator+=(const Numbers& more) {
            events += more.events;
            deliveries += more.deliveries;
            return *this;
        }
    };
    struct Reading {
        std::vector<std::pair<std::string, Numbers>> named;  // by name
        Numbers other;
    };
    // Chooses the streams with numbers of their own from time to time: those with the most events and deliveries since
    // the last time. One loses them only to a stream with more than twice as many.
    Reading read();

private:
    struct Entry {
        StreamCountsPtr counts = std::make_shared<StreamCounts>();
        Numbers seen{};      // when names were last chosen
        Numbers reported{};  // with the others, by the last reading
    };
    using Entries = std::unordered_map<std::string, Entry>;

    static Numbers numbers(const Entry& entry) { return {entry.counts->events, entry.counts->deliveries}; }
    void forget_unused();
    void choose_names();

    const std::size_t named_max_;
    const std::function<Clock::time_point()> now_;
    static constexpr std::size_t forgets_at_least = 1'024;

    mutable std::mutex mutex_;
    std::size_t forget_at_ = forgets_at_least;  // entries
    Entries entries_;
    std::map<std::string, Numbers> named_;  // and what of their numbers belongs to the others
    Numbers forgotten_;                     // of streams that are no longer known
    Clock::time_point choose_at_{};
};

}  // namespace sluice::broker
