// The registry of everything that the daemon counts and measures. It owns the numbers and knows the name, type, help
// text and labels of each. All output is generated from it, so a metric is named in one place only: where it is
// registered. Metrics are registered at construction, by one thread at a time; none is static.
//
// The vocabulary is that of OpenMetrics 1.0. A family shares one name, type, unit, help text and set of label names. A
// series is one number of a family, with a value for each label. An exposition adds the prefix `sluice_` and suffixes
// such as `_total` and `_bucket`.
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "broker/base/histogram.hpp"
#include "broker/base/metric.hpp"

namespace sluice::base {

enum class MetricType : std::uint8_t { counter, gauge, histogram };
std::string_view name_of(MetricType type);

struct MetricInfo {
    std::string_view name;       // [a-z_:][a-z0-9_:]*, without the type's suffix
    std::string_view help;       // what it counts, in one line
    std::string_view unit = {};  // if any, in the plural; the name ends with it: "bytes", "microseconds"
    // Its place in GET /v1/status: member names joined by dots, where `{label}` stands for the label's value. If empty:
    // in "counters", "gauges" or "histograms", by name, then by the values of its labels.
    std::string_view status = {};
};

struct MetricLabel {
    std::string_view name, value;
};
using MetricLabels = std::vector<MetricLabel>;

struct MetricSeries;

struct MetricFamily {
    std::string name;
    MetricType type;
    std::string unit;
    std::string help;
    std::vector<std::string> labels;  // names
    std::vector<std::string> status;  // the path, as in MetricInfo; never empty
    std::vector<const MetricSeries*> series;
};

struct MetricSeries {
    using Number =
        std::variant<const Counter*, const ObservedCounter*, const Gauge*, const ObservedGauge*, const Histogram*>;

    const MetricFamily& family;
    std::vector<std::string> label_values;  // in the order of family.labels
    Number number;

    // Its place in GET /v1/status.
    std::vector<std::string> status_path() const;
};

class MetricRegistry {
public:
    MetricRegistry() = default;
    MetricRegistry(const MetricRegistry&) = delete;
    MetricRegistry& operator=(const MetricRegistry&) = delete;

    // Each registers one series and returns its number, which lives as long as the registry. The first series of a name
    // defines the family; later ones may differ only in their label values. Throws std::logic_error if they differ
    // otherwise, if a series is registered twice, or if a name is invalid.
    Counter& counter(const MetricInfo& info, const MetricLabels& labels = {});
    Gauge& gauge(const MetricInfo& info, const MetricLabels& labels = {});
    Histogram& histogram(const MetricInfo& info, std::span<const std::uint64_t> bounds,
                         const MetricLabels& labels = {});
    ObservedCounter& observed_counter(const MetricInfo& info, const MetricLabels& labels = {},
                                      ObservedCounter::Read read = {});
    ObservedGauge& observed_gauge(const MetricInfo& info, const MetricLabels& labels = {},
                                  ObservedGauge::Read read = {});

    // In the order of registration. `visit` must not register metrics.
    template <typename Visit>
    void for_each_family(Visit visit) const {
        const std::lock_guard lock(mutex_);
        for (const MetricFamily& family : families_) visit(family);
    }
    template <typename Visit>
    void for_each_series(Visit visit) const {
        const std::lock_guard lock(mutex_);
        for (const MetricSeries& series : series_) visit(series);
    }

private:
    MetricFamily& family_locked(const MetricInfo& info, MetricType type, const MetricLabels& labels);
    void add_locked(MetricFamily& family, const MetricLabels& labels, MetricSeries::Number number);

    mutable std::mutex mutex_;
    std::deque<MetricFamily> families_;  // deques, because references to their elements stay valid
    std::deque<MetricSeries> series_;
    std::deque<Counter> counters_;
    std::deque<Gauge> gauges_;
    std::deque<Histogram> histograms_;
    std::deque<ObservedCounter> observed_counters_;
    std::deque<ObservedGauge> observed_gauges_;
};

}  // namespace sluice::base
