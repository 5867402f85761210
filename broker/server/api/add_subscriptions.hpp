// Puts the filters of an event stream's subscriber in place, and begins the reply.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "broker/core/delivery/subscriber.hpp"
#include "broker/core/matching/subscription.hpp"
#include "broker/server/api/services.hpp"
#include "broker/server/http/http_types.hpp"

namespace sluice::server {

// Resumes when the subscriptions are in place, or are not admitted: then with the reply that says why.
boost::asio::awaitable<std::optional<HttpReply>> add_subscriptions(Services& services,
                                                                   std::shared_ptr<broker::Subscriber> subscriber,
                                                                   std::vector<broker::Subscription> subscriptions);

// The head of an event stream. Sluice-Heartbeat says, in seconds, after how much silence a comment comes, so that
// clients notice that none does.
HttpReply stream_reply(std::shared_ptr<Takeover> stream, std::chrono::duration<double> heartbeat);

}  // namespace sluice::server
