// Makes the feed of a durable subscription: a subscriber with its filters, which reads on where it is, and gets what
// its owner may see now.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <optional>

#include "broker/core/subscriptions/durable_subscription.hpp"
#include "broker/server/api/services.hpp"
#include "broker/server/http/http_types.hpp"

namespace sluice::server {

struct MadeFeed {
    bool is_made = false;              // else somebody else makes it, or
    bool is_late = false;              // something has changed meanwhile, and it has to be made again, or
    std::optional<HttpReply> refusal;  // says what is wrong
};

// Of the request, uses what says by which address it is, and whether the client has left.
boost::asio::awaitable<MadeFeed> make_feed(Services& services, const HttpRequest& request,
                                           broker::DurableSubscriptionPtr subscription);

}  // namespace sluice::server
