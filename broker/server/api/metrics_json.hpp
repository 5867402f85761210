// Writes the metrics as members of GET /v1/status. Any thread.
#pragma once

#include <boost/json/object.hpp>

#include "broker/base/metrics.hpp"

namespace sluice::server {

// Puts each series at its status path, creating objects as needed. An existing member keeps its position and gets the
// value. A histogram is an object with `count`, `sum` and `buckets`: for each bound, the number of values of at most
// that.
void add_metrics(const base::MetricRegistry& metrics, boost::json::object& status);

}  // namespace sluice::server
