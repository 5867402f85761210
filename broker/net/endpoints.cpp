#include "broker/net/endpoints.hpp"

#include <array>

namespace sluice {

namespace {

std::size_t document_body_max(const Options& options) { return options.limits.document_bytes; }

// A document inside JSON may need two bytes for one, and there is a filter beside it.
std::size_t match_body_max(const Options& options) {
    return 2 * options.limits.document_bytes + 2 * options.limits.filter_bytes + 4'096;
}

constexpr std::array table{
    Endpoint{http::verb::post, "/v1/events", publish_events, document_body_max},
    Endpoint{http::verb::get, "/v1/events", subscribe_events, nullptr},
    Endpoint{http::verb::post, "/v1/match", match_document, match_body_max},
    Endpoint{http::verb::get, "/v1/status", show_status, nullptr},
    Endpoint{http::verb::get, "/healthz", show_health, nullptr},
    Endpoint{http::verb::get, "/readyz", show_readiness, nullptr},
};

}  // namespace

std::span<const Endpoint> endpoints() { return table; }

Route find_route(http::verb method, std::string_view path) {
    std::string allow;
    for (const Endpoint& endpoint : table) {
        if (endpoint.path != path) continue;
        const bool is_head = method == http::verb::head && endpoint.method == http::verb::get;
        if (endpoint.method == method || is_head) return {&endpoint, {}};
        allow += std::string(http::to_string(endpoint.method)) + ", ";
        if (endpoint.method == http::verb::get) allow += "HEAD, ";
    }
    if (allow.empty()) return {nullptr, status_reply(404, "no such path: " + std::string(path))};
    allow += "OPTIONS";
    Route route;
    if (method == http::verb::options) {
        route.refusal.status = 204;
    } else {
        route.refusal = status_reply(405, "this path answers " + allow);
    }
    route.refusal.headers.emplace_back("Allow", allow);
    return route;
}

}  // namespace sluice
