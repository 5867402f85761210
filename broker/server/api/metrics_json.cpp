#include "broker/server/api/metrics_json.hpp"

#include <boost/json/value.hpp>
#include <string>
#include <utility>
#include <variant>

namespace sluice::server {

namespace {

// For counters and gauges.
template <typename Number>
boost::json::value to_json(const Number& number) {
    return number.load();
}

boost::json::value to_json(const base::Histogram& histogram) {
    const base::Histogram::Snapshot snapshot = histogram.snapshot();
    boost::json::object buckets;
    for (std::size_t i = 0; i < histogram.bounds().size(); ++i)
        buckets[std::to_string(histogram.bounds()[i])] = snapshot.at_most[i];
    return {{"count", snapshot.count()}, {"sum", snapshot.sum}, {"buckets", std::move(buckets)}};
}

boost::json::value to_json(const base::MetricSeries::Number& number) {
    return std::visit([](const auto* of) -> boost::json::value { return to_json(*of); }, number);
}

boost::json::value& member(boost::json::object& object, const std::vector<std::string>& path) {
    boost::json::object* inside = &object;
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
        boost::json::value& next = (*inside)[path[i]];
        inside = next.is_object() ? &next.get_object() : &next.emplace_object();
    }
    return (*inside)[path.back()];
}

}  // namespace

void add_metrics(const base::MetricRegistry& metrics, boost::json::object& status) {
    metrics.for_each_series(
        [&](const base::MetricSeries& series) { member(status, series.status_path()) = to_json(series.number); });
}

}  // namespace sluice::server
