#include "broker/base/metrics.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace sluice::base {

namespace {

constexpr std::array<std::string_view, 4> type_names = {"counter", "gauge", "histogram", "info"};
constexpr std::array<std::string_view, 4> sections = {"counters", "gauges", "histograms", "info"};  // of the status
// Suffixes that an exposition appends to a family's name; no registered name may end with one.
constexpr std::array<std::string_view, 6> endings = {"_total", "_created", "_bucket", "_count", "_sum", "_info"};

[[noreturn]] void refuse(std::string_view name, const char* reason) {
    throw std::logic_error("metric \"" + std::string(name) + "\": " + reason);
}

bool is_name(std::string_view name, bool may_have_colons) {
    const auto fits = [&](char c, bool first) {
        return (c >= 'a' && c <= 'z') || c == '_' || (c == ':' && may_have_colons) || (!first && c >= '0' && c <= '9');
    };
    if (name.empty() || !fits(name.front(), true)) return false;
    return std::all_of(name.begin() + 1, name.end(), [&](char c) { return fits(c, false); });
}

bool is_power_of_ten(std::uint64_t number) {
    while (number >= 10 && number % 10 == 0) number /= 10;
    return number == 1;
}

std::vector<std::string> split(std::string_view path) {
    std::vector<std::string> parts;
    for (std::size_t dot; (dot = path.find('.')) != path.npos; path.remove_prefix(dot + 1))
        parts.emplace_back(path.substr(0, dot));
    parts.emplace_back(path);
    return parts;
}

std::string placeholder(const std::string& label) { return "{" + label + "}"; }

std::vector<std::string> path_of(const MetricInfo& info, MetricType type, const std::vector<std::string>& labels) {
    if (!info.status.empty()) return split(info.status);
    std::vector<std::string> path{std::string(sections[static_cast<std::size_t>(type)]), std::string(info.name)};
    if (type == MetricType::info) return path;
    for (const std::string& label : labels) path.push_back(placeholder(label));
    return path;
}

struct Load {
    MetricValue operator()(const Histogram* histogram) const { return histogram->snapshot(); }
    MetricValue operator()(const auto* number) const { return number->load(); }
};

std::vector<std::string> names_of(const MetricLabels& labels) {
    std::vector<std::string> names;
    for (const MetricLabel& label : labels) names.emplace_back(label.name);
    return names;
}

void check(const MetricFamily& family) {
    const std::string_view name = family.name;
    if (!is_name(name, true)) refuse(name, "invalid name");
    if (family.help.empty()) refuse(name, "no help text");
    if (family.help.find_first_of("\"\\\n") != family.help.npos) refuse(name, "its help text would have to be escaped");
    if (!is_power_of_ten(family.per_unit)) refuse(name, "is not kept in decimal parts of its unit");
    if (!family.unit.empty() && !name.ends_with("_" + family.unit)) refuse(name, "does not end with its unit");
    if (std::any_of(endings.begin(), endings.end(), [&](std::string_view ending) { return name.ends_with(ending); }))
        refuse(name, "ends with a suffix reserved for samples");
    for (const std::string& label : family.labels) {
        if (!is_name(label, false) || label.starts_with("__")) refuse(name, "invalid label name");
        if (label == "le") refuse(name, "the label le is reserved for histogram buckets");
        if (std::count(family.labels.begin(), family.labels.end(), label) != 1) refuse(name, "duplicate label");
        const auto places = std::count(family.status.begin(), family.status.end(), placeholder(label));
        if (places != 1 && !(places == 0 && family.type == MetricType::info))
            refuse(name, "its status path must contain each label once");
    }
}

}  // namespace

std::string_view name_of(MetricType type) { return type_names[static_cast<std::size_t>(type)]; }

std::vector<std::string> status_path(const MetricFamily& family, const MetricSample& sample) {
    std::vector<std::string> path = family.status;
    for (std::size_t i = 0; i < sample.label_values.size(); ++i)
        std::replace(path.begin(), path.end(), placeholder(family.labels[i]), sample.label_values[i]);
    return path;
}

Counter& MetricRegistry::counter(const MetricInfo& info, const MetricLabels& labels) {
    const std::lock_guard lock(mutex_);
    Registered& family = family_locked(info, MetricType::counter, names_of(labels));
    Counter& number = counters_.emplace_back();
    add_locked(family, labels, &number);
    return number;
}

Gauge& MetricRegistry::gauge(const MetricInfo& info, const MetricLabels& labels) {
    const std::lock_guard lock(mutex_);
    Registered& family = family_locked(info, MetricType::gauge, names_of(labels));
    Gauge& number = gauges_.emplace_back();
    add_locked(family, labels, &number);
    return number;
}

Histogram& MetricRegistry::histogram(const MetricInfo& info, std::span<const std::uint64_t> bounds,
                                     const MetricLabels& labels) {
    const std::lock_guard lock(mutex_);
    Registered& family = family_locked(info, MetricType::histogram, names_of(labels), bounds);
    Histogram& number = histograms_.emplace_back(bounds);
    add_locked(family, labels, &number);
    return number;
}

ObservedCounter& MetricRegistry::observed_counter(const MetricInfo& info, const MetricLabels& labels,
                                                  ObservedCounter::Read read) {
    const std::lock_guard lock(mutex_);
    Registered& family = family_locked(info, MetricType::counter, names_of(labels));
    ObservedCounter& number = observed_counters_.emplace_back();
    number.read_from(std::move(read));
    add_locked(family, labels, &number);
    return number;
}

ObservedGauge& MetricRegistry::observed_gauge(const MetricInfo& info, const MetricLabels& labels,
                                              ObservedGauge::Read read) {
    const std::lock_guard lock(mutex_);
    Registered& family = family_locked(info, MetricType::gauge, names_of(labels));
    ObservedGauge& number = observed_gauges_.emplace_back();
    number.read_from(std::move(read));
    add_locked(family, labels, &number);
    return number;
}

void MetricRegistry::info(const MetricInfo& info, const MetricLabels& labels) {
    const std::lock_guard lock(mutex_);
    Registered& family = family_locked(info, MetricType::info, names_of(labels));
    Counter& number = counters_.emplace_back();
    number.add();
    add_locked(family, labels, &number);
}

void MetricRegistry::collect(std::span<const CollectedFamily> families, Collect read) {
    const std::lock_guard lock(mutex_);
    const std::size_t first = families_.size();
    for (const CollectedFamily& each : families) {
        Registered& family =
            family_locked(each.info, each.type, std::vector<std::string>(each.labels.begin(), each.labels.end()));
        if (family.is_collected || !family.series.empty()) refuse(family.name, "registered twice");
        family.is_collected = true;
    }
    collectors_.push_back({first, families.size(), std::move(read)});
}

void MetricRegistry::Sink::add_number(std::size_t family, std::vector<std::string> label_values, std::int64_t number) {
    MetricReading& reading = readings_[family];
    MetricSample& sample = reading.samples.emplace_back();
    sample.label_values = std::move(label_values);
    if (reading.family->type == MetricType::gauge)
        sample.value.emplace<std::int64_t>(number);
    else
        sample.value.emplace<std::uint64_t>(static_cast<std::uint64_t>(number));
}

std::vector<MetricReading> MetricRegistry::read() const {
    const std::lock_guard lock(mutex_);
    std::vector<MetricReading> readings;
    for (const Registered& family : families_) {
        MetricReading& reading = readings.emplace_back(MetricReading{&family, {}});
        for (const Series& series : family.series)
            reading.samples.push_back({series.label_values, std::visit(Load(), series.number)});
    }
    for (const Collector& collector : collectors_) {
        Sink sink{std::span(readings).subspan(collector.first, collector.size)};
        collector.read(sink);
    }
    return readings;
}

MetricRegistry::Registered& MetricRegistry::family_locked(const MetricInfo& info, MetricType type,
                                                          std::vector<std::string> labels,
                                                          std::span<const std::uint64_t> bounds) {
    Registered family;
    family.name = info.name;
    family.type = type;
    family.unit = info.unit;
    family.help = info.help;
    family.per_unit = info.per_unit;
    family.bounds.assign(bounds.begin(), bounds.end());
    family.status = path_of(info, type, labels);
    family.labels = std::move(labels);
    const auto known = std::find_if(families_.begin(), families_.end(),
                                    [&](const Registered& other) { return other.name == family.name; });
    if (known == families_.end()) {
        check(family);
        return families_.emplace_back(std::move(family));
    }
    if (known->type != type || known->unit != family.unit || known->help != family.help ||
        known->per_unit != family.per_unit || known->bounds != family.bounds || known->labels != family.labels ||
        known->status != family.status)
        refuse(info.name, "differs from what was registered before");
    return *known;
}

void MetricRegistry::add_locked(Registered& family, const MetricLabels& labels, Number number) {
    std::vector<std::string> values;
    for (const MetricLabel& label : labels) values.emplace_back(label.value);
    for (const Series& other : family.series)
        if (other.label_values == values) refuse(family.name, "registered twice");
    if (family.is_collected) refuse(family.name, "registered twice");
    family.series.push_back({std::move(values), number});
}

}  // namespace sluice::base
