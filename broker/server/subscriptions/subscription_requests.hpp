// What requests for durable subscriptions have in common. Pure functions; any thread.
#pragma once

#include <optional>
#include <string>

#include "broker/server/http/http_types.hpp"

namespace sluice::server {

// Returns a reply if the name of the subscription, the query or the coding of the body is not valid.
std::optional<HttpReply> refuse_subscription_request(const HttpRequest& request);
HttpReply no_such_subscription(const std::string& name);
// Others consume it: `differs`, in another format.
HttpReply in_use_problem(const std::string& name, bool differs);
HttpReply uncached_reply(unsigned status, std::string body);

}  // namespace sluice::server
