// Writes the metrics as members of GET /v1/status. Any thread.
#pragma once

#include <boost/json/object.hpp>
#include <span>

#include "broker/base/metrics.hpp"

namespace sluice::server {

// Puts each sample at its status path, in the metric's unit, creating objects as needed. An existing member keeps its
// position and gets the value. A histogram is an object with `count`, `sum` and `buckets`: for each bound, the number
// of values of at most that.
void add_metrics(std::span<const base::MetricReading> readings, boost::json::object& status);

}  // namespace sluice::server
