// The handlers of requests for streams, for the table of endpoints.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "broker/server/api/services.hpp"
#include "broker/server/http/http_types.hpp"

namespace sluice::server {

boost::asio::awaitable<HttpReply> list_streams(Services& services, HttpRequest& request);
boost::asio::awaitable<HttpReply> show_stream(Services& services, HttpRequest& request);
boost::asio::awaitable<HttpReply> put_stream(Services& services, HttpRequest& request);
boost::asio::awaitable<HttpReply> patch_stream(Services& services, HttpRequest& request);
boost::asio::awaitable<HttpReply> delete_stream(Services& services, HttpRequest& request);
boost::asio::awaitable<HttpReply> purge_stream(Services& services, HttpRequest& request);
boost::asio::awaitable<HttpReply> erase_event(Services& services, HttpRequest& request);

}  // namespace sluice::server
