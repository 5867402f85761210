// Durable subscriptions as JSON. Any thread.
#pragma once

#include <boost/json/object.hpp>
#include <optional>

#include "broker/core/subscriptions/durable_subscription.hpp"
#include "broker/core/subscriptions/subscription_lags.hpp"
#include "config/subscription_options.hpp"

namespace sluice::store {
class EventLog;
}

namespace sluice::server {

// All options, in the form in which they are read (config::parse_subscription_options).
boost::json::object subscription_options_json(const config::SubscriptionOptions& options);

// `lag`: none: it is not for who reads this.
boost::json::object subscription_json(const broker::DurableSubscription::State& state,
                                      const std::optional<broker::SubscriptionLag>& lag, store::EventLog& log);

}  // namespace sluice::server
