// The options of a durable subscription, as PUT /v1/subscriptions/NAME gives them. Plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "config/options.hpp"

namespace sluice::config {

enum class AckOption : std::uint8_t {
    none,        // what has been written to the consumer is acknowledged
    each,        // by POST …/ack
    cumulative,  // likewise, and by the Last-Event-ID of whoever connects again
};

struct SubscriptionOptions {
    static constexpr std::size_t prefetch_max = 65'536, streams_max = 100, filters_max = 100;

    std::vector<std::string> streams{"default"};  // names, or prefixes: "news.*"; "*": all
    std::vector<std::string> filters{};           // none: every event
    std::string start = "now";                    // or "first", an id, or a time or duration as `since=` takes it
    AckOption ack = AckOption::each;
    Duration ack_wait = std::chrono::seconds(30);
    std::uint32_t max_deliver = 10;  // 0: no limit
    std::string dead_letter{};       // a stream; empty: none
    std::size_t prefetch = 1'000;    // deliveries without acknowledgement at once
    bool share = false;              // several consumers at once
    std::size_t hold_bytes = 0;      // held back from the retention of streams
};

}  // namespace sluice::config
