#include "broker/server/endpoints.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "broker/core/ingest/publisher.hpp"
#include "broker/server/api/handlers.hpp"
#include "broker/server/http/busy_problems.hpp"
#include "broker/server/streams/stream_handlers.hpp"
#include "broker/server/subscriptions/subscription_handlers.hpp"
#include "config/options.hpp"

namespace sluice::server {

namespace {

std::size_t document_body_max(const config::Options& options) { return options.limits.document_bytes; }

// A document inside JSON may need two bytes for each of its own, and the body also holds a filter.
std::size_t match_body_max(const config::Options& options) {
    return 2 * options.limits.document_bytes + 2 * options.limits.filter_bytes + 4'096;
}

std::size_t options_body_max(const config::Options&) { return 64u << 10; }

std::size_t subscription_body_max(const config::Options&) { return 256u << 10; }

// As many ids as fit a request have some ten digits, and their rejections a few reasons.
std::size_t ack_body_max(const config::Options&) { return 4u << 20; }

boost::asio::awaitable<HttpReply> read_events(Services& services, HttpRequest& request) {
    const auto& query = request.query;
    const auto is_subscription = [](const auto& pair) { return pair.first == "subscription"; };
    return std::any_of(query.begin(), query.end(), is_subscription) ? consume_events(services, request)
                                                                    : subscribe_events(services, request);
}

constexpr std::array table{
    Endpoint{http::verb::post, "/v1/events", Needs::publish, publish_events, document_body_max, {.prompt = true}},
    Endpoint{http::verb::post, "/v1/publish", Needs::publish, publish_stream, document_body_max, {.reads_body = true}},
    Endpoint{http::verb::get, "/v1/events", Needs::subscriptions, read_events, nullptr, {.watched = true}},
    Endpoint{http::verb::get, "/v1/events/*/why", Needs::subscribe, explain_event, nullptr, {.watched = true}},
    Endpoint{http::verb::post, "/v1/match", Needs::subscribe, match_document, match_body_max, {.watched = true}},
    Endpoint{http::verb::get, "/v1/streams", Needs::any_right, list_streams, nullptr, {.watched = true}},
    Endpoint{http::verb::get, "/v1/streams/*", Needs::see_stream, show_stream, nullptr},
    Endpoint{http::verb::put, "/v1/streams/*", Needs::manage_stream, put_stream, options_body_max},
    Endpoint{http::verb::patch, "/v1/streams/*", Needs::manage_stream, patch_stream, options_body_max},
    Endpoint{http::verb::delete_, "/v1/streams/*", Needs::manage_stream, delete_stream, nullptr},
    Endpoint{http::verb::post, "/v1/streams/*/purge", Needs::manage_stream, purge_stream, nullptr},
    Endpoint{http::verb::delete_, "/v1/streams/*/events/*", Needs::manage_stream, erase_event, nullptr},
    Endpoint{
        http::verb::get, "/v1/subscriptions", Needs::subscriptions, list_subscriptions, nullptr, {.watched = true}},
    Endpoint{http::verb::get, "/v1/subscriptions/*", Needs::subscriptions, show_subscription, nullptr},
    Endpoint{http::verb::put, "/v1/subscriptions/*", Needs::subscriptions, put_subscription, subscription_body_max},
    Endpoint{http::verb::patch, "/v1/subscriptions/*", Needs::subscriptions, patch_subscription, subscription_body_max},
    Endpoint{http::verb::delete_, "/v1/subscriptions/*", Needs::subscriptions, delete_subscription, nullptr},
    Endpoint{http::verb::get, "/v1/subscriptions/*/next", Needs::subscriptions, take_next, nullptr, {.watched = true}},
    Endpoint{http::verb::post, "/v1/subscriptions/*/ack", Needs::subscriptions, acknowledge_events, ack_body_max},
    Endpoint{http::verb::post, "/v1/subscriptions/*/seek", Needs::subscriptions, seek_subscription, options_body_max},
    Endpoint{http::verb::post, "/v1/tickets", Needs::subscribe, issue_ticket, nullptr},
    Endpoint{http::verb::delete_, "/v1/tickets/*", Needs::any_right, revoke_ticket, nullptr},
    Endpoint{http::verb::post, "/v1/store/backup", Needs::operate, back_up_store, options_body_max},
    Endpoint{http::verb::get, "/v1/status", Needs::operate, show_status, nullptr, {.for_monitoring = true}},
    Endpoint{http::verb::get, "/metrics", Needs::operate, show_metrics, nullptr, {.for_monitoring = true}},
    Endpoint{
        http::verb::get, "/healthz", Needs::nothing, show_health, nullptr, {.for_monitoring = true, .prompt = true}},
    Endpoint{
        http::verb::get, "/readyz", Needs::nothing, show_readiness, nullptr, {.for_monitoring = true, .prompt = true}},
};

struct Names {
    std::string_view name, part;
};

// The names in the request's path. No value: the path is not the endpoint's.
std::optional<Names> names_in(std::string_view path, std::string_view pattern) {
    Names names;
    for (std::string_view* into : {&names.name, &names.part}) {
        const std::size_t star = pattern.find('*');
        if (star == std::string_view::npos) break;
        if (!path.starts_with(pattern.substr(0, star))) return std::nullopt;
        path.remove_prefix(star);
        pattern.remove_prefix(star + 1);
        *into = path.substr(0, path.find('/'));
        if (into->empty()) return std::nullopt;
        path.remove_prefix(into->size());
    }
    return path == pattern ? std::optional(names) : std::nullopt;
}

HttpReply opening_problem(const Services& services) {
    const int percent = static_cast<int>(100 * services.opened());
    return busy_problem("the store is being opened, " + std::to_string(percent) + " % of its log read");
}

// A browser that was connected connects again by itself for as long as it gets no error.
boost::asio::awaitable<HttpReply> subscribe_later(Services& services, HttpRequest& request) {
    if (request.headers->find("Last-Event-ID") == request.headers->end()) co_return opening_problem(services);
    HttpReply reply;
    reply.content_type = "text/event-stream";
    reply.headers.emplace_back("Cache-Control", "no-store");
    reply.body = "retry: 1000\n\n";
    co_return reply;
}

}  // namespace

std::span<const Endpoint> endpoints() { return table; }

FoundEndpoint find_endpoint(http::verb method, std::string_view path) {
    std::string allow;
    if (path == "*" && method == http::verb::options) {
        FoundEndpoint none;
        none.refusal.status = 204;
        none.refusal.headers.emplace_back("Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
        return none;
    }
    for (const Endpoint& endpoint : table) {
        const auto names = names_in(path, endpoint.path);
        if (!names) continue;
        const bool is_head = method == http::verb::head && endpoint.method == http::verb::get;
        if (endpoint.method == method || is_head) return {&endpoint, names->name, names->part, {}};
        allow += std::string(http::to_string(endpoint.method)) + ", ";
        if (endpoint.method == http::verb::get) allow += "HEAD, ";
    }
    if (allow.empty()) return {nullptr, {}, {}, status_reply(404, "no such path: " + std::string(path))};
    allow += "OPTIONS";
    FoundEndpoint none;
    if (method == http::verb::options) {
        none.refusal.status = 204;
    } else {
        none.refusal = status_reply(405, "this path supports " + allow);
    }
    none.refusal.headers.emplace_back("Allow", allow);
    return none;
}

Router make_router(Services& services) {
    return [&services](http::verb method, std::string_view path) {
        FoundEndpoint found = find_endpoint(method, path);
        Route route;
        if (found.endpoint == nullptr) {
            route.refusal = std::move(found.refusal);
            return route;
        }
        const Endpoint& endpoint = *found.endpoint;
        route.needs = endpoint.needs;
        route.name = found.name;
        route.part = found.part;
        if (services.opening && endpoint.handler == read_events) {
            route.handler = [&services](HttpRequest& request) { return subscribe_later(services, request); };
            return route;
        }
        if (services.opening && endpoint.handler != show_health && endpoint.handler != show_metrics) {
            route.refusal = opening_problem(services);
            return route;
        }
        // Small enough for std::function to hold without allocating.
        route.handler = [&services, handler = endpoint.handler](HttpRequest& request) {
            return handler(services, request);
        };
        if (endpoint.body_bytes_max != nullptr) route.body_bytes_max = endpoint.body_bytes_max(services.options);
        route.watched = endpoint.traits.watched;
        route.publishes = endpoint.handler == publish_events;
        route.for_monitoring = endpoint.traits.for_monitoring;
        route.reads_body = endpoint.traits.reads_body;
        route.prompt = endpoint.traits.prompt && (!route.publishes || services.publisher.completes_at_once());
        return route;
    };
}

}  // namespace sluice::server
