// The metrics of the matching engine: filters, GPUs, and the work that was done on the CPU in their place. They are
// read from the engine's status, once each time the metrics are read.
#pragma once

#include "broker/base/metrics.hpp"
#include "broker/core/matching/registry.hpp"

namespace sluice::broker {

// Call once. The metrics must not be read after the registry is destroyed.
void register_engine_metrics(base::MetricRegistry& metrics, const SubscriptionRegistry& registry);

}  // namespace sluice::broker
