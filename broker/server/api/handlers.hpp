// The handlers of this folder's endpoints, for the table of endpoints.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "broker/server/api/services.hpp"
#include "broker/server/http/http_types.hpp"

namespace sluice::server {

boost::asio::awaitable<HttpReply> publish_events(Services& services, HttpRequest& request);
boost::asio::awaitable<HttpReply> publish_stream(Services& services, HttpRequest& request);
boost::asio::awaitable<HttpReply> subscribe_events(Services& services, HttpRequest& request);
boost::asio::awaitable<HttpReply> match_document(Services& services, HttpRequest& request);
boost::asio::awaitable<HttpReply> explain_event(Services& services, HttpRequest& request);
boost::asio::awaitable<HttpReply> issue_ticket(Services& services, HttpRequest& request);
boost::asio::awaitable<HttpReply> revoke_ticket(Services& services, HttpRequest& request);
boost::asio::awaitable<HttpReply> back_up_store(Services& services, HttpRequest& request);
boost::asio::awaitable<HttpReply> show_status(Services& services, HttpRequest& request);
boost::asio::awaitable<HttpReply> show_metrics(Services& services, HttpRequest& request);
boost::asio::awaitable<HttpReply> show_health(Services& services, HttpRequest& request);
boost::asio::awaitable<HttpReply> show_readiness(Services& services, HttpRequest& request);

}  // namespace sluice::server
