// Reads the PROXY header at the beginning of a connection, and nothing behind it. On the coroutine's thread, which may
// be another than the socket's as long as nothing else uses the socket.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <chrono>

#include "broker/server/net/proxy_header.hpp"

namespace sluice::server {

// Returns a header that is done; another state if it is not valid, or has not come within `time`, or the connection has
// ended.
boost::asio::awaitable<ProxyHeader> read_proxy_header(boost::asio::generic::stream_protocol::socket& socket,
                                                      std::chrono::microseconds time);

}  // namespace sluice::server
