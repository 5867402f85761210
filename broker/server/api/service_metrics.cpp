#include "broker/server/api/service_metrics.hpp"

#include <chrono>

#include "broker/base/memory/machine_memory.hpp"
#include "broker/base/memory/memory_budget.hpp"
#include "broker/base/metrics.hpp"
#include "broker/core/counters.hpp"
#include "broker/core/matching/event_queue.hpp"
#include "broker/core/matching/registry.hpp"
#include "broker/server/net/connections.hpp"

namespace sluice::server {

namespace {

using base::MetricInfo;
using base::MetricRegistry;

// Adds a gauge of the value that `read` returns, converted from any integer type.
template <typename Read>
void add_gauge(MetricRegistry& metrics, const MetricInfo& info, Read read, const base::MetricLabels& labels = {}) {
    metrics.observed_gauge(info, labels, [read] { return static_cast<std::int64_t>(read()); });
}

void register_users(MetricRegistry& metrics, const Services& services) {
    add_gauge(metrics, {.name = "connections", .help = "Open connections", .status = "connections"},
              [&] { return services.connections.size(); });
    services.counters.connections_displaced.read_from([&] { return services.connections.displaced(); });
    add_gauge(metrics,
              {.name = "subscribers", .help = "Open event streams, their filters in place", .status = "subscribers"},
              [&] { return services.event_streams.load(); });
    add_gauge(metrics, {.name = "subscriptions", .help = "Filters of all subscribers", .status = "subscriptions.total"},
              [&] { return services.registry.size(); });
    add_gauge(metrics,
              {.name = "subscriptions_distinct",
               .help = "Filters of all subscribers, equal ones counted once",
               .status = "subscriptions.distinct"},
              [&] { return services.registry.distinct(); });
    add_gauge(metrics,
              {.name = "subscriptions_operators",
               .help = "Computed conditions of all filters",
               .status = "subscriptions.operators"},
              [&] { return services.registry.operators(); });
}

void register_memory(MetricRegistry& metrics, const base::MemoryBudget& memory) {
    add_gauge(metrics,
              {.name = "memory_limit_bytes",
               .help = "The bound on memory: limits.memory",
               .unit = "bytes",
               .status = "memory.limit"},
              [&] { return memory.bytes_max(); });
    add_gauge(metrics,
              {.name = "memory_used_bytes",
               .help = "Memory in use, as charged to limits.memory",
               .unit = "bytes",
               .status = "memory.used"},
              [&] { return memory.used(); });
    add_gauge(metrics,
              {.name = "memory_resident_bytes",
               .help = "Resident memory of the process; 0: unknown",
               .unit = "bytes",
               .status = "memory.resident"},
              base::resident_memory);
    metrics.observed_counter(
        {.name = "memory_refusals", .help = "Charges refused for lack of memory", .status = "memory.refusals"}, {},
        [&] { return memory.refusals(); });
    for (std::size_t i = 0; i < base::memory_use_names.size(); ++i)
        add_gauge(metrics,
                  {.name = "memory_use_bytes",
                   .help = "The part of memory_used_bytes charged for this use",
                   .unit = "bytes",
                   .status = "memory.uses.{use}"},
                  [&memory, use = static_cast<base::MemoryUse>(i)] { return memory.used(use); },
                  {{"use", base::memory_use_names[i]}});
}

void register_queue(MetricRegistry& metrics, const broker::EventQueue& queue) {
    add_gauge(metrics, {.name = "queue_events", .help = "Events that wait for the matcher", .status = "queue.events"},
              [&] { return queue.events(); });
    add_gauge(metrics,
              {.name = "queue_bytes",
               .help = "Bytes of the events that wait for the matcher, with their documents",
               .unit = "bytes",
               .status = "queue.bytes"},
              [&] { return queue.bytes(); });
    add_gauge(
        metrics,
        {.name = "queue_slow_streams", .help = "Streams that are in the slow lane", .status = "queue.slow_streams"},
        [&] { return queue.slow_streams(); });
}

}  // namespace

void register_metrics(Services& services) {
    MetricRegistry& metrics = services.counters.metrics;
    add_gauge(metrics,
              {.name = "uptime_seconds",
               .help = "Time since the daemon started",
               .unit = "seconds",
               .status = "uptime_seconds"},
              [begin = services.started_at] {
                  using namespace std::chrono;
                  return duration_cast<seconds>(steady_clock::now() - begin).count();
              });
    register_users(metrics, services);
    register_memory(metrics, services.memory);
    register_queue(metrics, services.queue);
}

}  // namespace sluice::server
