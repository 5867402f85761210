// Counts what all durable subscriptions have done, those included that have been deleted since. Their places in the
// status have the names that each subscription's own counts have. Any thread.
#pragma once

#include "broker/base/metrics.hpp"

namespace sluice::broker {

struct SubscriptionCounters {
    explicit SubscriptionCounters(base::MetricRegistry& metrics)
        : delivered(metrics.counter({.name = "durable_deliveries",
                                     .help = "Events that durable subscriptions delivered for the first time",
                                     .status = "durable_subscriptions.counts.delivered"})),
          redelivered(metrics.counter({.name = "durable_redeliveries",
                                       .help = "Events that durable subscriptions delivered again",
                                       .status = "durable_subscriptions.counts.redelivered"})),
          acknowledged(metrics.counter({.name = "durable_acknowledgements",
                                        .help = "Events of durable subscriptions that were acknowledged; with "
                                                "ack: none, that were written",
                                        .status = "durable_subscriptions.counts.acknowledged"})),
          expired(metrics.counter({.name = "durable_expirations",
                                   .help = "Deliveries that were not acknowledged within ack_wait",
                                   .status = "durable_subscriptions.counts.expired"})),
          rejected(metrics.counter({.name = "durable_rejections",
                                    .help = "Deliveries that their consumers rejected",
                                    .status = "durable_subscriptions.counts.rejected"})),
          dead_letters(metrics.counter({.name = "durable_dead_letters",
                                        .help = "Events that durable subscriptions made dead letters",
                                        .status = "durable_subscriptions.counts.dead_letters"})),
          gaps(metrics.counter({.name = "durable_gaps",
                                .help = "Events left undecided by a filter's budget, reported to consumers of durable "
                                        "subscriptions",
                                .status = "durable_subscriptions.counts.gaps"})),
          resets(
              metrics.counter({.name = "durable_resets",
                               .help = "Resets told to consumers of durable subscriptions, and events that were gone "
                                       "before they could be dead letters",
                               .status = "durable_subscriptions.counts.resets"})),
          withdrawn(metrics.counter({.name = "durable_withdrawals",
                                     .help = "Events to be delivered again that were gone, or that no filter accepted "
                                             "any more",
                                     .status = "durable_subscriptions.counts.withdrawn"})) {}

    base::Counter &delivered, &redelivered, &acknowledged, &expired, &rejected, &dead_letters, &gaps, &resets,
        &withdrawn;
};

}  // namespace sluice::broker
