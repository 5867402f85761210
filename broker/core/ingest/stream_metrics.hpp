// The metrics of streams and of the log that retains their events. Of streams, the busiest have numbers of their own
// (StreamCounters); the others share one label.
#pragma once

#include "broker/base/metrics.hpp"
#include "broker/core/ingest/streams.hpp"
#include "broker/core/stream_counters.hpp"

namespace sluice::broker {

// Call once. The metrics must not be read after the streams are destroyed, nor before the log is open.
void register_stream_metrics(base::MetricRegistry& metrics, StreamCounters& counters, const Streams& streams);

}  // namespace sluice::broker
