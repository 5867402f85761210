#include "broker/server/api/service_metrics.hpp"

#include <array>
#include <chrono>
#include <string_view>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/base/metrics.hpp"
#include "broker/base/process_metrics.hpp"
#include "broker/base/program/version.hpp"
#include "broker/base/workers.hpp"
#include "broker/core/counters.hpp"
#include "broker/core/delivery/mailbox_metrics.hpp"
#include "broker/core/ingest/publisher.hpp"
#include "broker/core/ingest/stream_metrics.hpp"
#include "broker/core/matching/engine_metrics.hpp"
#include "broker/core/matching/event_queue.hpp"
#include "broker/core/subscriptions/subscription_metrics.hpp"
#include "broker/server/net/connections.hpp"
#include "broker/store/event_log.hpp"
#include "config/options.hpp"

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
    add_gauge(metrics,
              {.name = "publish_streams",
               .help = "Requests that publish a stream of documents: POST /v1/publish",
               .status = "publish_streams"},
              [&] { return services.publish_streams.load(); });
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

void register_workers(MetricRegistry& metrics, const Services& services) {
    const auto add = [&](std::string_view pool, const base::Workers& workers) {
        add_gauge(
            metrics,
            {.name = "worker_tasks_waiting",
             .help = "Tasks that wait for a worker: large documents and look-ups, filters to compile, filters to try",
             .status = "workers.{pool}.waiting"},
            [&workers] { return workers.waiting(); }, {{"pool", pool}});
    };
    add("documents", services.workers);
    add("filters", services.compilers);
    add("trials", services.trials);
}

constexpr std::array<std::string_view, 3> states{"opening", "running", "draining"};

// An index of `states`.
std::size_t state_of(const Services& services) {
    if (services.draining) return 2;
    return services.opening ? 0 : 1;
}

void register_state(MetricRegistry& metrics, const Services& services) {
    for (std::size_t i = 0; i < states.size(); ++i)
        add_gauge(metrics,
                  {.name = "state",
                   .help = "1 for the state that the daemon is in, and 0 for the others; opening: its store",
                   .status = "process.states.{state}"},
                  [&services, i] { return state_of(services) == i ? 1 : 0; }, {{"state", states[i]}});
}

void register_limits(MetricRegistry& metrics, const Services& services) {
    const config::Options& options = services.options;
    const auto add = [&](std::string_view name, std::string_view help, std::string_view unit, std::string_view status,
                         std::size_t limit) {
        add_gauge(metrics, {.name = name, .help = help, .unit = unit, .status = status}, [limit] { return limit; });
    };
    add("queue_limit_events", "The most events that wait for the matcher: matcher.queue_events", "", "queue.events_max",
        options.matcher.queue_events);
    add("queue_limit_bytes", "The most bytes of these events: matcher.queue_bytes", "bytes", "queue.bytes_max",
        options.matcher.queue_bytes);
    add("connections_limit", "The most open connections: limits.connections, or fewer for lack of file descriptors", "",
        "limits.connections", services.connections.connections_max());
    add("subscribers_limit", "The most open event streams: limits.subscribers", "", "limits.subscribers",
        options.limits.subscribers);
}

void register_build(MetricRegistry& metrics, const Services& services) {
    const bool is_on_disk = services.options.store.kind == config::StoreKind::rocksdb;
    metrics.info({.name = "build", .help = "The program and how it is configured", .status = "build"},
                 {{"version", base::version()},
                  {"backend", services.registry.engine().backend},
                  {"store", is_on_disk ? "rocksdb" : "memory"}});
}

}  // namespace

void register_metrics(Services& services) {
    MetricRegistry& metrics = services.counters.metrics;
    register_build(metrics, services);
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
    register_workers(metrics, services);
    register_state(metrics, services);
    register_limits(metrics, services);
    broker::register_engine_metrics(metrics, services.registry);
    broker::register_stream_metrics(metrics, services.counters.streams, services.publisher.streams(),
                                    [&] { return !services.opening; });
    broker::register_mailbox_metrics(metrics, services.mailboxes,
                                     [&] { return services.opening ? 0 : services.log.last_id(); });
    broker::register_subscription_metrics(metrics, services.subscriptions, services.publisher.streams(),
                                          [&] { return !services.opening; });
    base::register_process_metrics(metrics);
}

}  // namespace sluice::server
