// The registry of everything that the daemon counts and measures. It owns the numbers and knows the name, type, help
// text and labels of each. All output is generated from it, so a metric is named in one place only: where it is
// registered. Metrics are registered at construction, by one thread at a time; none is static.
//
// The vocabulary is that of OpenMetrics 1.0. A family shares one name, type, unit, help text and set of label names. A
// series is one number of a family, with a value for each label. exposition.hpp prints them.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "broker/base/histogram.hpp"
#include "broker/base/metric.hpp"

namespace sluice::base {

// info: a series of constant texts, its labels. Its value is 1.
enum class MetricType : std::uint8_t { counter, gauge, histogram, info };
std::string_view name_of(MetricType type);

struct MetricInfo {
    std::string_view name;       // [a-z_:][a-z0-9_:]*, without the type's suffix
    std::string_view help;       // what it counts, in one line
    std::string_view unit = {};  // if any, in the plural; the name ends with it: "bytes", "seconds"
    // The number is kept in these parts of the unit: 1'000'000 for microseconds of a metric in seconds. A power of ten.
    std::uint64_t per_unit = 1;
    // Its place in GET /v1/status: member names joined by dots, where `{label}` stands for the label's value. If empty:
    // in "counters", "gauges", "histograms" or "info", by name, then by the values of its labels. An info's labels that
    // are not in the path are members of the object there.
    std::string_view status = {};
};

struct MetricLabel {
    std::string_view name, value;
};
using MetricLabels = std::vector<MetricLabel>;

struct MetricFamily {
    std::string name;
    MetricType type;
    std::string unit;
    std::string help;
    std::uint64_t per_unit = 1;
    std::vector<std::uint64_t> bounds;  // of a histogram, in parts of the unit
    std::vector<std::string> labels;    // names
    std::vector<std::string> status;    // the path, as in MetricInfo; never empty
};

// Counters and info; gauges; histograms. In parts of the unit.
using MetricValue = std::variant<std::uint64_t, std::int64_t, Histogram::Snapshot>;

struct MetricSample {
    std::vector<std::string> label_values;  // in the order of MetricFamily::labels
    MetricValue value;
};

// A family's series at some moment.
struct MetricReading {
    const MetricFamily* family;  // the registry's
    std::vector<MetricSample> samples;
};

// The place of a sample in GET /v1/status.
std::vector<std::string> status_path(const MetricFamily& family, const MetricSample& sample);

// A family whose series come and go, or are read together with others'.
struct CollectedFamily {
    MetricInfo info;
    MetricType type;                       // not histogram
    std::vector<std::string_view> labels;  // names
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
    void info(const MetricInfo& info, const MetricLabels& labels);

    // Receives the series of collected families.
    class Sink {
    public:
        // `family`: its index in collect(). Numbers are never negative if it is not a gauge.
        void add(std::size_t family, std::vector<std::string> label_values, std::integral auto number) {
            add_number(family, std::move(label_values), static_cast<std::int64_t>(number));
        }
        void add_info(std::size_t family, std::vector<std::string> label_values) {
            add_number(family, std::move(label_values), 1);
        }

    private:
        void add_number(std::size_t family, std::vector<std::string> label_values, std::int64_t number);

        friend class MetricRegistry;
        explicit Sink(std::span<MetricReading> readings) : readings_(readings) {}
        std::span<MetricReading> readings_;
    };
    // Registers families whose series `read` adds whenever the registry is read. Their number must be bounded. Any
    // thread may call `read`, one at a time.
    using Collect = std::function<void(Sink& sink)>;
    void collect(std::span<const CollectedFamily> families, Collect read);

    // All families in the order of registration. Numbers are read one after the other, while others change them.
    std::vector<MetricReading> read() const;

private:
    using Number =
        std::variant<const Counter*, const ObservedCounter*, const Gauge*, const ObservedGauge*, const Histogram*>;
    struct Series {
        std::vector<std::string> label_values;
        Number number;
    };
    struct Registered : MetricFamily {
        std::vector<Series> series;
        bool is_collected = false;
    };
    struct Collector {
        std::size_t first, size;  // of its families
        Collect read;
    };

    Registered& family_locked(const MetricInfo& info, MetricType type, std::vector<std::string> labels,
                              std::span<const std::uint64_t> bounds = {});
    void add_locked(Registered& family, const MetricLabels& labels, Number number);

    mutable std::mutex mutex_;
    std::deque<Registered> families_;  // deques, because references to their elements stay valid
    std::vector<Collector> collectors_;
    std::deque<Counter> counters_;
    std::deque<Gauge> gauges_;
    std::deque<Histogram> histograms_;
    std::deque<ObservedCounter> observed_counters_;
    std::deque<ObservedGauge> observed_gauges_;
};

}  // namespace sluice::base
