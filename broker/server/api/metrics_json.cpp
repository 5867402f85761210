#include "broker/server/api/metrics_json.hpp"

#include <algorithm>
#include <boost/json/value.hpp>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>

#include "broker/base/exposition.hpp"

namespace sluice::server {

namespace {

template <typename Number>
boost::json::value in_units(Number parts, const base::MetricFamily& family) {
    if (family.per_unit == 1) return parts;
    return static_cast<double>(parts) / static_cast<double>(family.per_unit);
}

struct ToJson {
    const base::MetricFamily& family;

    boost::json::value operator()(std::uint64_t number) const { return in_units(number, family); }
    boost::json::value operator()(std::int64_t number) const { return in_units(number, family); }
    boost::json::value operator()(const base::Histogram::Snapshot& histogram) const {
        boost::json::object buckets;
        for (std::size_t i = 0; i < family.bounds.size(); ++i)
            buckets[base::in_units(family.bounds[i], family.per_unit)] = histogram.at_most[i];
        return {
            {"count", histogram.count()}, {"sum", in_units(histogram.sum, family)}, {"buckets", std::move(buckets)}};
    }
};

boost::json::value& member(boost::json::object& object, const std::vector<std::string>& path) {
    boost::json::object* inside = &object;
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
        boost::json::value& next = (*inside)[path[i]];
        inside = next.is_object() ? &next.get_object() : &next.emplace_object();
    }
    return (*inside)[path.back()];
}

// An info's texts that are not in its path.
void add_texts(const base::MetricFamily& family, const base::MetricSample& sample, boost::json::value& at) {
    boost::json::object& object = at.is_object() ? at.get_object() : at.emplace_object();
    for (std::size_t i = 0; i < family.labels.size(); ++i)
        if (std::find(family.status.begin(), family.status.end(), "{" + family.labels[i] + "}") == family.status.end())
            object[family.labels[i]] = sample.label_values[i];
}

}  // namespace

void add_metrics(std::span<const base::MetricReading> readings, boost::json::object& status) {
    for (const base::MetricReading& reading : readings) {
        for (const base::MetricSample& sample : reading.samples) {
            boost::json::value& at = member(status, status_path(*reading.family, sample));
            if (reading.family->type == base::MetricType::info)
                add_texts(*reading.family, sample, at);
            else
                at = std::visit(ToJson{*reading.family}, sample.value);
        }
    }
}

}  // namespace sluice::server
