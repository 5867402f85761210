// The one table of what the daemon answers over HTTP.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "broker/net/http_types.hpp"
#include "broker/net/services.hpp"

namespace sluice {

struct Endpoint {
    // Runs on the connection's thread. May suspend, never blocks.
    using Handler = boost::asio::awaitable<HttpReply> (*)(Services&, HttpRequest&);

    http::verb method;  // GET also answers HEAD
    std::string_view path;
    Handler handler;
    std::size_t (*body_bytes_max)(const Options&);  // null: takes no body
};

std::span<const Endpoint> endpoints();

// The endpoint for a request, or the reply that says why there is none: 404, 405 with Allow, or the answer to OPTIONS.
struct Route {
    const Endpoint* endpoint = nullptr;
    HttpReply refusal;
};
Route find_route(http::verb method, std::string_view path);

boost::asio::awaitable<HttpReply> publish_events(Services& services, HttpRequest& request);
boost::asio::awaitable<HttpReply> subscribe_events(Services& services, HttpRequest& request);
boost::asio::awaitable<HttpReply> match_document(Services& services, HttpRequest& request);
boost::asio::awaitable<HttpReply> show_status(Services& services, HttpRequest& request);
boost::asio::awaitable<HttpReply> show_health(Services& services, HttpRequest& request);
boost::asio::awaitable<HttpReply> show_readiness(Services& services, HttpRequest& request);

}  // namespace sluice
