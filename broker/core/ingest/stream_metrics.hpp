// The metrics of streams and of the log that retains their events. Of streams, the busiest have numbers of their own
// (StreamCounters); the others share one label.
#pragma once

#include <functional>

#include "broker/base/metrics.hpp"
#include "broker/core/ingest/streams.hpp"
#include "broker/core/stream_counters.hpp"

namespace sluice::broker {

// Call once. Until the log `is_open`, there are no such metrics. They must not be read after the streams are destroyed.
void register_stream_metrics(base::MetricRegistry& metrics, StreamCounters& counters, const Streams& streams,
                             std::function<bool()> is_open);

}  // namespace sluice::broker
