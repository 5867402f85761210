// Durable subscriptions as JSON. Any thread; find_lag() may wait for the disk.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <string_view>

#include "broker/core/subscriptions/durable_subscription.hpp"
#include "config/subscription_options.hpp"

namespace sluice::broker {
class Streams;
}
namespace sluice::store {
class EventLog;
}

namespace sluice::server {

// All options, in the form in which they are read (config::parse_subscription_options).
boost::json::object subscription_options_json(const config::SubscriptionOptions& options);

// How far a subscription is behind its streams.
struct SubscriptionLag {
    std::uint64_t events = 0;  // ids of the log after its position: at most so many are for it
    double seconds = 0;        // age of the first event of its streams after its position
};
SubscriptionLag find_lag(const broker::DurableSubscription::State& state, store::EventLog& log,
                         const broker::Streams& streams);

boost::json::object subscription_json(const broker::DurableSubscription::State& state, const SubscriptionLag& lag,
                                      store::EventLog& log);

}  // namespace sluice::server
