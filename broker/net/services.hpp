// What the endpoints work with; all of it outlives every connection, and any thread may use it.
#pragma once

#include <atomic>
#include <chrono>

#include "broker/base/counters.hpp"
#include "broker/ingest/publisher.hpp"
#include "broker/matching/event_queue.hpp"
#include "broker/matching/registry.hpp"
#include "broker/net/connections.hpp"
#include "config/options.hpp"

namespace sluice {

struct Services {
    const Options& options;
    Counters& counters;
    EventQueue& queue;
    Publisher& publisher;
    SubscriptionRegistry& registry;
    Connections& connections;
    std::chrono::steady_clock::time_point started_at;
    std::atomic<std::size_t> subscribers{0};  // open event streams
    std::atomic<bool> draining{false};
};

}  // namespace sluice
