// What the daemon has done since it started. Any thread adds and reads; the numbers are not a snapshot.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "gpu/operators/work.hpp"

namespace sluice {

struct Counters {
    using Counter = std::atomic<std::uint64_t>;

    Counter connections_accepted{0};
    Counter connections_refused{0};  // over limits.connections
    Counter requests{0};
    Counter request_errors{0};  // replies with a status of 400 or more

    Counter documents{0};              // accepted
    Counter documents_refused{0};      // not well-formed, over a limit …
    Counter documents_turned_away{0};  // 503: no room in the queue in time
    Counter events{0};                 // given an id and queued
    Counter events_unchanged{0};       // posted again and not delivered again

    Counter batches{0};
    Counter events_matched{0};     // that went through the matcher
    Counter scans{0};              // times that a scanned part of a filter was evaluated for an event
    Counter scan_microseconds{0};  // that this took
    struct OfOperator {            // as in OperatorWork
        Counter texts{0}, pairs{0}, cells{0}, filter_hits{0}, verified{0}, holds{0}, unreadable{0};
        Counter device_texts{0}, device_pairs{0}, device_cells{0};
    };
    std::array<OfOperator, measure_kinds> operators;
    struct OfContains {  // as in exact::Counters
        Counter texts{0}, bytes{0}, filter_hits{0}, verified{0}, hits{0};
    };
    OfContains contains;
    Counter events_lost{0};         // in the queue when the drain timeout ran out
    Counter deliveries{0};          // events handed to a subscriber's queue
    Counter deliveries_written{0};  // events written to a subscriber's connection
    Counter slow_consumers{0};      // subscribers disconnected because their queue was full
    Counter slow_filters{0};        // subscribers disconnected because a filter took longer than it may
};

inline void count(Counters::Counter& counter, std::uint64_t n = 1) { counter.fetch_add(n, std::memory_order_relaxed); }

}  // namespace sluice
