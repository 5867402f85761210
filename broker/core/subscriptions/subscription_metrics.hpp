// The metrics of durable subscriptions as they are, beside Counters::durable. Those with the largest lags have numbers
// of their own (LargestLags), as long as they exist; the others share a label where a sum has a meaning.
#pragma once

#include <functional>

#include "broker/base/metrics.hpp"
#include "broker/core/subscriptions/durable_subscriptions.hpp"

namespace sluice::broker {

// Call once. Until the log `is_open`, there are no such metrics. They must not be read after the subscriptions are
// destroyed. Reading them looks at each subscription, and reads an event of the log for each of those with numbers of
// their own that has moved since the last time.
void register_subscription_metrics(base::MetricRegistry& metrics, const DurableSubscriptions& subscriptions,
                                   const Streams& streams, std::function<bool()> is_open);

}  // namespace sluice::broker
