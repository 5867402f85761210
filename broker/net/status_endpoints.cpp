// GET /v1/status, /healthz, /readyz
#include <array>
#include <boost/json/serialize.hpp>
#include <string_view>

#include "broker/base/version.hpp"
#include "broker/net/endpoints.hpp"
#include "broker/net/problems.hpp"

namespace sluice {

namespace asio = boost::asio;

namespace {

boost::json::object counters_json(const Counters& c) {
    return {{"connections_accepted", c.connections_accepted.load()},
            {"connections_refused", c.connections_refused.load()},
            {"requests", c.requests.load()},
            {"request_errors", c.request_errors.load()},
            {"documents", c.documents.load()},
            {"documents_refused", c.documents_refused.load()},
            {"documents_turned_away", c.documents_turned_away.load()},
            {"events", c.events.load()},
            {"events_unchanged", c.events_unchanged.load()},
            {"batches", c.batches.load()},
            {"events_matched", c.events_matched.load()},
            {"scans", c.scans.load()},
            {"scan_microseconds", c.scan_microseconds.load()},
            {"events_lost", c.events_lost.load()},
            {"deliveries", c.deliveries.load()},
            {"deliveries_written", c.deliveries_written.load()},
            {"slow_consumers", c.slow_consumers.load()},
            {"slow_filters", c.slow_filters.load()}};
}

// By the names that filters call them by.
boost::json::object operators_json(const Counters& counters) {
    constexpr std::array<std::string_view, measure_kinds> names = {"matches",     "approx-distance", "edit-distance",
                                                                   "align",       "align-global",    "laminarity",
                                                                   "determinism", "recurrence-rate"};
    boost::json::object operators;
    operators["contains"] = {{"texts", counters.contains.texts.load()},
                             {"bytes", counters.contains.bytes.load()},
                             {"filter_hits", counters.contains.filter_hits.load()},
                             {"verified", counters.contains.verified.load()},
                             {"hits", counters.contains.hits.load()}};
    for (std::size_t i = 0; i < names.size(); ++i) {
        const Counters::OfOperator& c = counters.operators[i];
        operators[names[i]] = {
            {"texts", c.texts.load()},
            {"pairs", c.pairs.load()},
            {"cells", c.cells.load()},
            {"filter_hits", c.filter_hits.load()},
            {"verified", c.verified.load()},
            {"holds", c.holds.load()},
            {"unreadable", c.unreadable.load()},
            {"on_device",
             {{"texts", c.device_texts.load()}, {"pairs", c.device_pairs.load()}, {"cells", c.device_cells.load()}}}};
    }
    return operators;
}

boost::json::object engine_json(const EngineStatus& engine) {
    boost::json::array devices;
    for (const DeviceStatus& d : engine.devices) {
        devices.push_back({{"device", d.device},
                           {"name", d.name},
                           {"state", d.state},
                           {"bytes", d.bytes},
                           {"segments", d.segments},
                           {"batches", d.batches},
                           {"events", d.events},
                           {"operator_batches", d.operator_batches},
                           {"faults", d.faults},
                           {"last_fault", d.last_fault}});
    }
    boost::json::object operators;
    for (const OperatorStatus& o : engine.operators) {
        operators[o.family] = {{"device_batches", o.device_batches},
                               {"cpu_batches", o.cpu_batches},
                               {"repeated_batches", o.repeated_batches},
                               {"reason", o.reason}};
    }
    boost::json::object faults;
    for (const auto& [name, count] : engine.faults) faults[name] = count;
    return {{"reason", engine.reason},
            {"devices", std::move(devices)},
            {"operators", std::move(operators)},
            {"cpu_batches", engine.cpu_batches},
            {"rematched_batches", engine.rematched_batches},
            {"background_failures", engine.background_failures},
            {"faults", std::move(faults)}};
}

HttpReply text_reply(std::string text) { return {200, "text/plain; charset=utf-8", {}, std::move(text), nullptr}; }

}  // namespace

asio::awaitable<HttpReply> show_status(Services& services, HttpRequest&) {
    const auto uptime = std::chrono::steady_clock::now() - services.started_at;
    boost::json::object streams;
    for (const auto& [name, last_id] : services.publisher.streams()) streams[name] = {{"last_id", last_id}};
    const EngineStatus engine = services.registry.engine();
    HttpReply reply;
    reply.headers.emplace_back("Cache-Control", "no-store");
    reply.body = boost::json::serialize(
        boost::json::object{{"version", version()},
                            {"uptime_seconds", std::chrono::duration_cast<std::chrono::seconds>(uptime).count()},
                            {"state", services.draining ? "draining" : "running"},
                            {"backend", engine.backend},
                            {"engine", engine_json(engine)},
                            {"connections", services.connections.size()},
                            {"subscribers", services.subscribers.load()},
                            {"subscriptions",
                             {{"total", services.registry.size()},
                              {"distinct", services.registry.distinct()},
                              {"operators", services.registry.operators()}}},
                            {"queue", {{"events", services.queue.events()}, {"bytes", services.queue.bytes()}}},
                            {"counters", counters_json(services.counters)},
                            {"operators", operators_json(services.counters)},
                            {"streams", std::move(streams)}});
    co_return reply;
}

asio::awaitable<HttpReply> show_health(Services&, HttpRequest&) { co_return text_reply("ok\n"); }

asio::awaitable<HttpReply> show_readiness(Services& services, HttpRequest&) {
    if (services.draining) co_return busy_problem("the daemon is shutting down");
    co_return text_reply("ready\n");
}

}  // namespace sluice
