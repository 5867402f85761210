#include "broker/base/metrics.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace sluice::base {

namespace {

constexpr std::array<std::string_view, 3> type_names = {"counter", "gauge", "histogram"};
constexpr std::array<std::string_view, 3> sections = {"counters", "gauges", "histograms"};  // of the status, by type
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

std::vector<std::string> split(std::string_view path) {
    std::vector<std::string> parts;
    for (std::size_t dot; (dot = path.find('.')) != path.npos; path.remove_prefix(dot + 1))
        parts.emplace_back(path.substr(0, dot));
    parts.emplace_back(path);
    return parts;
}

std::vector<std::string> status_path(const MetricInfo& info, MetricType type, const MetricLabels& labels) {
    if (!info.status.empty()) return split(info.status);
    std::vector<std::string> path{std::string(sections[static_cast<std::size_t>(type)]), std::string(info.name)};
    for (const MetricLabel& label : labels) path.push_back("{" + std::string(label.name) + "}");
    return path;
}

void check(const MetricFamily& family) {
    const std::string_view name = family.name;
    if (!is_name(name, true)) refuse(name, "invalid name");
    if (family.help.empty()) refuse(name, "no help text");
    if (!family.unit.empty() && !name.ends_with("_" + family.unit)) refuse(name, "does not end with its unit");
    if (std::any_of(endings.begin(), endings.end(), [&](std::string_view ending) { return name.ends_with(ending); }))
        refuse(name, "ends with a suffix reserved for samples");
    for (const std::string& label : family.labels) {
        if (!is_name(label, false) || label.starts_with("__")) refuse(name, "invalid label name");
        if (label == "le") refuse(name, "the label le is reserved for histogram buckets");
        if (std::count(family.labels.begin(), family.labels.end(), label) != 1) refuse(name, "duplicate label");
        if (std::count(family.status.begin(), family.status.end(), "{" + label + "}") != 1)
            refuse(name, "its status path must contain each label once");
    }
}

}  // namespace

std::string_view name_of(MetricType type) { return type_names[static_cast<std::size_t>(type)]; }

std::vector<std::string> MetricSeries::status_path() const {
    std::vector<std::string> path = family.status;
    for (std::size_t i = 0; i < label_values.size(); ++i)
        std::replace(path.begin(), path.end(), "{" + family.labels[i] + "}", label_values[i]);
    return path;
}

Counter& MetricRegistry::counter(const MetricInfo& info, const MetricLabels& labels) {
    const std::lock_guard lock(mutex_);
    MetricFamily& family = family_locked(info, MetricType::counter, labels);
    Counter& number = counters_.emplace_back();
    add_locked(family, labels, &number);
    return number;
}

Gauge& MetricRegistry::gauge(const MetricInfo& info, const MetricLabels& labels) {
    const std::lock_guard lock(mutex_);
    MetricFamily& family = family_locked(info, MetricType::gauge, labels);
    Gauge& number = gauges_.emplace_back();
    add_locked(family, labels, &number);
    return number;
}

Histogram& MetricRegistry::histogram(const MetricInfo& info, std::span<const std::uint64_t> bounds,
                                     const MetricLabels& labels) {
    const std::lock_guard lock(mutex_);
    MetricFamily& family = family_locked(info, MetricType::histogram, labels);
    if (!family.series.empty()) {
        const auto first = std::get<const Histogram*>(family.series.front()->number)->bounds();
        if (!std::equal(first.begin(), first.end(), bounds.begin(), bounds.end()))
            refuse(info.name, "its bounds differ within the family");
    }
    Histogram& number = histograms_.emplace_back(bounds);
    add_locked(family, labels, &number);
    return number;
}

ObservedCounter& MetricRegistry::observed_counter(const MetricInfo& info, const MetricLabels& labels,
                                                  ObservedCounter::Read read) {
    const std::lock_guard lock(mutex_);
    MetricFamily& family = family_locked(info, MetricType::counter, labels);
    ObservedCounter& number = observed_counters_.emplace_back();
    number.read_from(std::move(read));
    add_locked(family, labels, &number);
    return number;
}

ObservedGauge& MetricRegistry::observed_gauge(const MetricInfo& info, const MetricLabels& labels,
                                              ObservedGauge::Read read) {
    const std::lock_guard lock(mutex_);
    MetricFamily& family = family_locked(info, MetricType::gauge, labels);
    ObservedGauge& number = observed_gauges_.emplace_back();
    number.read_from(std::move(read));
    add_locked(family, labels, &number);
    return number;
}

MetricFamily& MetricRegistry::family_locked(const MetricInfo& info, MetricType type, const MetricLabels& labels) {
    MetricFamily family{std::string(info.name), type, std::string(info.unit), std::string(info.help), {}, {}, {}};
    for (const MetricLabel& label : labels) family.labels.emplace_back(label.name);
    family.status = status_path(info, type, labels);
    const auto known = std::find_if(families_.begin(), families_.end(),
                                    [&](const MetricFamily& other) { return other.name == family.name; });
    if (known == families_.end()) {
        check(family);
        return families_.emplace_back(std::move(family));
    }
    if (known->type != type || known->unit != family.unit || known->help != family.help ||
        known->labels != family.labels || known->status != family.status)
        refuse(info.name, "differs from what was registered before");
    return *known;
}

void MetricRegistry::add_locked(MetricFamily& family, const MetricLabels& labels, MetricSeries::Number number) {
    std::vector<std::string> values;
    for (const MetricLabel& label : labels) values.emplace_back(label.value);
    for (const MetricSeries* other : family.series)
        if (other->label_values == values) refuse(family.name, "registered twice");
    family.series.push_back(&series_.emplace_back(MetricSeries{family, std::move(values), number}));
}

}  // namespace sluice::base
