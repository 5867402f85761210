// What durable subscriptions may do by the rights of their owners. Pure functions; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "broker/auth/scope.hpp"
#include "broker/auth/user.hpp"
#include "broker/server/http/http_types.hpp"
#include "config/subscription_options.hpp"

namespace sluice::server {

// 403, or 401 if the subscription is nobody's and its rights are those of who has sent no credentials. `what` completes
// "may not".
HttpReply owner_may_not(const std::string& owner, const auth::User& account, std::string_view what);

// Which events it gets now.
auth::Scope subscription_scope(const config::SubscriptionOptions& options, const auth::User& account);

// The reply to a definition that needs rights which its owner has not: to see something of its streams (`scope`, as
// above), to publish dead letters, and to hold back what its streams retain.
std::optional<HttpReply> refuse_definition(const config::SubscriptionOptions& options, const auth::Scope& scope,
                                           const std::string& owner, const auth::User& account);

// Whether `viewer` may know how many events a subscription with this scope is behind: only who may see the figures of
// each of its streams. The viewer is its owner, or may operate the broker.
bool may_see_lag(const auth::Scope& scope, const auth::User& viewer);

}  // namespace sluice::server
