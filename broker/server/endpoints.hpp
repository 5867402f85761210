// The table of all HTTP endpoints of the daemon.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "broker/server/api/services.hpp"
#include "broker/server/http/http_types.hpp"
#include "broker/server/http/router.hpp"

namespace sluice::server {

struct EndpointTraits {
    bool watched = false;         // the request is cancelled when the client leaves
    bool for_monitoring = false;  // answered even if limits.connections or limits.memory is reached
    bool reads_body = false;      // the handler does, from HttpRequest::body_stream
    // Completes at once, or writes the replies to earlier requests itself before it waits (reply_writer.hpp). For
    // others they are written before, as for what publishes where appends do not end at once: what has been parsed, or
    // claimed for a key, must not wait for a slow reader.
    bool prompt = false;
};

struct Endpoint {
    // Runs on the connection's thread. May suspend, never blocks.
    using Handler = boost::asio::awaitable<HttpReply> (*)(Services&, HttpRequest&);

    http::verb method;  // GET also answers HEAD
    // "*" stands for a name: the first for HttpRequest::name, a second one for HttpRequest::part.
    std::string_view path;
    Needs needs;  // what the user must be permitted; has no default, so that no endpoint is without
    Handler handler;
    std::size_t (*body_bytes_max)(const config::Options&);  // null: takes no body
    EndpointTraits traits{};
};

std::span<const Endpoint> endpoints();

// The endpoint for a request, or the reply if there is none: 404, 405 with Allow, or the answer to OPTIONS.
struct FoundEndpoint {
    const Endpoint* endpoint = nullptr;
    std::string_view name, part;  // the names in the path; view the path
    HttpReply refusal;
};
FoundEndpoint find_endpoint(http::verb method, std::string_view path);

// Routes requests to the endpoints, with these services. They must outlive the router. While the store is being opened,
// all but /healthz and /metrics get 503.
Router make_router(Services& services);

}  // namespace sluice::server
