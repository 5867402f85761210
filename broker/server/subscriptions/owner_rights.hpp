// What durable subscriptions may do by the rights of their owners. Pure functions; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "broker/auth/scope.hpp"
#include "broker/auth/user.hpp"
#include "broker/server/http/http_types.hpp"
#include "config/subscription_options.hpp"
#include "protocol/text/stream_selection.hpp"

namespace sluice::server {

// 403, or 401 if the subscription is nobody's and its rights are those of who has sent no credentials. `what` completes
// "may not".
HttpReply owner_may_not(const std::string& owner, const auth::User& account, std::string_view what);

// Which events it gets now.
auth::Scope subscription_scope(const config::SubscriptionOptions& options, const auth::User& account);

// Whether `viewer` may use a subscription of these streams, and know of it. One that is nobody's is shared by all whose
// requests have no credentials, whatever the rights of each: it is for who may subscribe to all of its streams.
bool may_use(const std::string& owner, const text::StreamSelection& streams, const auth::User& viewer);

// The reply to a definition that needs rights which its owner has not: to see something of its streams (`scope`, as
// above), or to use it once it is nobody's, to publish dead letters, and to hold back what its streams retain.
std::optional<HttpReply> refuse_definition(const config::SubscriptionOptions& options, const auth::Scope& scope,
                                           const std::string& owner, const auth::User& account);

// Whether `viewer` may know how many events a subscription with this scope is behind: only who may see the figures of
// each of its streams. The viewer is its owner, or may operate the broker.
bool may_see_lag(const auth::Scope& scope, const auth::User& viewer);

}  // namespace sluice::server
