// GET /v1/status, /healthz, /readyz
#include <algorithm>
#include <boost/json/serialize.hpp>
#include <boost/json/value_from.hpp>
#include <utility>

#include "broker/base/program/version.hpp"
#include "broker/core/counters.hpp"
#include "broker/core/ingest/publisher.hpp"
#include "broker/core/matching/registry.hpp"
#include "broker/server/api/handlers.hpp"
#include "broker/server/api/metrics_json.hpp"
#include "broker/server/api/publish_reply.hpp"
#include "broker/server/api/retained_json.hpp"
#include "broker/server/http/busy_problems.hpp"
#include "broker/store/event_log.hpp"

namespace sluice::server {

namespace asio = boost::asio;

namespace {

// A condition's text is as in filters, after "test" or, if it selects elements, "select"; a path's after "path"; a
// filter's whose computed conditions exceed a budget after "filter".
boost::json::array costly_conditions_json(const broker::CostlyConditions& conditions) {
    constexpr std::size_t conditions_listed_max = 20;
    const auto milliseconds = [](broker::CostlyConditions::Duration duration) {
        return std::chrono::duration<double, std::milli>(duration).count();
    };
    boost::json::array list;
    for (const auto& [text, cost] : conditions.worst(conditions_listed_max)) {
        list.push_back({{"condition", text},
                        {"evaluations", cost.evaluations},
                        {"undecided", cost.undecided},
                        {"milliseconds", milliseconds(cost.total)},
                        {"slowest_milliseconds", milliseconds(cost.slowest)}});
    }
    return list;
}

// The texts; the figures come from the metrics.
boost::json::object engine_json(const engine::EngineStatus& engine) {
    boost::json::object devices, operators;
    for (const engine::DeviceStatus& device : engine.devices)
        devices[std::to_string(device.device)] = {
            {"name", device.name}, {"state", device.state}, {"last_fault", device.last_fault}};
    for (const engine::OperatorStatus& of_family : engine.operators)
        operators[of_family.family] = {{"reason", of_family.reason}};
    return {{"reason", engine.reason},
            {"devices", std::move(devices)},
            {"operators", std::move(operators)},
            {"faults", boost::json::object()}};
}

HttpReply text_reply(std::string text) { return {200, "text/plain; charset=utf-8", {}, std::move(text), nullptr}; }

const char* condition_name(store::LogState::Condition condition) {
    switch (condition) {
        case store::LogState::Condition::full:
            return "full";
        case store::LogState::Condition::failed:
            return "failed";
        case store::LogState::Condition::open:
            break;
    }
    return "open";
}

boost::json::object log_json(store::EventLog& log) {
    constexpr std::size_t damage_listed_max = 100;
    const store::LogState state = log.state();
    boost::json::object json{{"epoch", log.epoch()}, {"state", condition_name(state.condition)}};
    if (state.condition != store::LogState::Condition::open) json["reason"] = state.reason;
    json["durability"] = durability_name(log.durability());
    json["retained"] = retained_json(log.extent(store::all_streams));
    if (const auto& disk = state.disk) {
        json["disk"] = {{"bytes", disk->bytes}, {"dead_bytes", disk->dead_bytes}, {"limit_bytes", disk->bytes_max}};
        if (disk->is_short) json["warning"] = "store.bytes has events dropped that retention would keep, or soon will";
    }
    boost::json::array damage;
    for (const store::Damage& each : state.damage) {
        if (damage.size() == damage_listed_max) break;
        damage.push_back({{"first_id", each.first_id},
                          {"last_id", each.last_id},
                          {"streams", boost::json::value_from(each.streams)},
                          {"what", each.what}});
    }
    json["damage"] = std::move(damage);
    return json;
}

constexpr std::size_t streams_listed_max = 1'000;  // listed in the status; the others are only counted

// The metrics' values come from their registry; the null members here only fix their positions.
std::string status_json(Services& services) {
    broker::Streams& known = services.publisher.streams();
    const auto names = known.names();
    boost::json::object streams;
    for (std::size_t i = 0; i < std::min(names.size(), streams_listed_max); ++i)
        streams[names[i]] = {{"last_id", known.last_id(names[i])},
                             {"retained", retained_json(known.log().extent(names[i]))}};
    const engine::EngineStatus engine = services.registry.engine();
    boost::json::object status{{"version", base::version()},
                               {"build", nullptr},
                               {"uptime_seconds", nullptr},
                               {"limits", nullptr},
                               {"state", services.draining ? "draining" : "running"},
                               {"backend", engine.backend},
                               {"engine", engine_json(engine)},
                               {"connections", nullptr},
                               {"subscribers", nullptr},
                               {"publish_streams", nullptr},
                               {"subscriptions", nullptr},
                               {"durable_subscriptions", nullptr},
                               {"process", nullptr},
                               {"memory", nullptr},
                               {"queue", nullptr},
                               {"workers", nullptr},
                               {"subscriber_queues", nullptr},
                               {"replays", nullptr},
                               {"counters", nullptr},
                               {"histograms", nullptr},
                               {"costly_conditions", costly_conditions_json(services.counters.costly_conditions)},
                               {"operators", nullptr},
                               {"log", log_json(known.log())},
                               {"streams_total", nullptr},
                               {"streams", std::move(streams)}};
    add_metrics(services.counters.metrics.read(), status);
    return boost::json::serialize(status);
}

}  // namespace

asio::awaitable<HttpReply> show_status(Services& services, HttpRequest&) {
    HttpReply reply;
    reply.headers.emplace_back("Cache-Control", "no-store");
    reply.shared_body = services.status.get([&] { return status_json(services); });
    co_return reply;
}

asio::awaitable<HttpReply> show_health(Services&, HttpRequest&) { co_return text_reply("ok\n"); }

asio::awaitable<HttpReply> show_readiness(Services& services, HttpRequest&) {
    if (services.draining) co_return busy_problem("the broker is shutting down");
    co_return text_reply("ready\n");
}

}  // namespace sluice::server
