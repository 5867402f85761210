// The metrics that Prometheus's client libraries give of every process: CPU time, memory, file descriptors, start time.
#pragma once

#include "broker/base/metrics.hpp"

namespace sluice::base {

// Call once.
void register_process_metrics(MetricRegistry& metrics);

}  // namespace sluice::base
