// How a session finds what answers a request. The session reads the request as the route says, and knows no endpoints.
// Any thread.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>

#include "broker/server/http/http_types.hpp"
#include "broker/server/http/permission.hpp"

namespace sluice::server {

struct Route {
    // Runs on the connection's thread. May suspend, never blocks.
    using Handler = std::function<boost::asio::awaitable<HttpReply>(HttpRequest&)>;

    Handler handler{};                            // empty: nothing answers the request, and `refusal` is the reply
    Needs needs = Needs::nothing;                 // what the user must be permitted
    std::optional<std::size_t> body_bytes_max{};  // no value: takes no body
    bool watched = false;                         // the request is cancelled when the client leaves
    bool publishes = false;                       // its body is a document
    bool reads_body = false;                      // the handler does, by HttpRequest::body_stream
    bool for_monitoring = false;                  // answered even if limits.connections or limits.memory is reached
    bool prompt = false;                          // before it waits, it writes earlier replies (reply_writer.hpp)
    std::string_view name{}, part{};              // HttpRequest::name and part; view the path
    HttpReply refusal{};
};

using Router = std::function<Route(http::verb method, std::string_view path)>;

}  // namespace sluice::server
