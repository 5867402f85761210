// The handlers of requests for durable subscriptions, for the table of endpoints.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "broker/server/api/services.hpp"
#include "broker/server/http/http_types.hpp"

namespace sluice::server {

boost::asio::awaitable<HttpReply> list_subscriptions(Services& services, HttpRequest& request);
boost::asio::awaitable<HttpReply> show_subscription(Services& services, HttpRequest& request);
boost::asio::awaitable<HttpReply> put_subscription(Services& services, HttpRequest& request);
boost::asio::awaitable<HttpReply> patch_subscription(Services& services, HttpRequest& request);
boost::asio::awaitable<HttpReply> delete_subscription(Services& services, HttpRequest& request);
boost::asio::awaitable<HttpReply> consume_events(Services& services, HttpRequest& request);
boost::asio::awaitable<HttpReply> take_next(Services& services, HttpRequest& request);
boost::asio::awaitable<HttpReply> seek_subscription(Services& services, HttpRequest& request);
boost::asio::awaitable<HttpReply> acknowledge_events(Services& services, HttpRequest& request);

}  // namespace sluice::server
