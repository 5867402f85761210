// Subscribers that read everything from the log at once: publishes one-item documents to a broker, then measures how
// fast it replays them past the subscribers' filters. Belongs to one thread.
#pragma once

#include <cstdint>

#include "tests/bench/load/load_test.hpp"

namespace sluice::load {

struct ReplayResult {
    double publish_seconds = 0;
    double seconds = 0;  // of the replay, from its first request to the end of its last stream
    std::uint64_t events = 0, deliveries = 0;
    std::uint64_t lost = 0, unexpected = 0, out_of_order = 0;
    std::uint64_t told = 0;  // gaps and resets
    std::uint64_t received_bytes = 0;
    double broker_cpu_seconds = 0;
};

// The filters and subscribers are those of `options`. Throws std::runtime_error.
ReplayResult replay_load(const LoadOptions& options, std::uint64_t events);

}  // namespace sluice::load
