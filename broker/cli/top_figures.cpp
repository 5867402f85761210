#include "broker/cli/top_figures.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>

namespace sluice::cli {

namespace {

using Numbers = std::map<std::string, double, std::less<>>;

// The values of samples with this name, by the value of a label; by "" if the label's name is empty.
Numbers numbers(const Exposition& exposition, std::string_view name, std::string_view label = {}) {
    Numbers found;
    for (const ExposedSample& sample : exposition.samples)
        if (sample.name == name) found[std::string(sample.label(label))] += sample.value;
    return found;
}

double number(const Exposition& exposition, std::string_view name) {
    const Numbers found = numbers(exposition, name);
    return found.empty() ? 0 : found.begin()->second;
}

// What counters have risen by.
Numbers rises(const Exposition& before, const Exposition& now, std::string_view name, std::string_view label = {}) {
    const Numbers old = numbers(before, name, label);
    Numbers risen = numbers(now, name, label);
    for (auto& [of, value] : risen)
        if (const auto was = old.find(of); was != old.end() && was->second <= value) value -= was->second;
    return risen;
}

double sum(const Numbers& of) {
    double total = 0;
    for (const auto& [label, value] : of) total += value;
    return total;
}

// Within the bucket that has it, values are taken to be spread evenly, as Prometheus does. `rises` by the bound "le".
std::optional<double> quantile(double share, const Numbers& of_buckets) {
    std::vector<std::pair<double, double>> buckets;  // bound, and how many are at most that
    for (const auto& [le, count] : of_buckets) {
        double bound = std::numeric_limits<double>::infinity();
        if (le != "+Inf") std::from_chars(le.data(), le.data() + le.size(), bound);
        buckets.emplace_back(bound, count);
    }
    std::sort(buckets.begin(), buckets.end());
    if (buckets.empty() || !(buckets.back().second > 0)) return std::nullopt;
    const double rank = share * buckets.back().second;
    double below = 0, counted = 0;
    for (const auto& [bound, count] : buckets) {
        if (count >= rank && count > counted)
            return std::isinf(bound) ? below : below + (bound - below) * (rank - counted) / (count - counted);
        below = std::isinf(bound) ? below : bound;
        counted = std::max(counted, count);
    }
    return below;
}

void add_streams(const Exposition* before, const Exposition& now, double seconds, TopFigures& figures) {
    const Numbers subscribers = numbers(now, "sluice_stream_subscribers", "stream"),
                  retained = numbers(now, "sluice_stream_retained_events", "stream");
    Numbers events = numbers(now, "sluice_stream_events_total", "stream"), deliveries;
    if (before != nullptr) {
        events = rises(*before, now, "sluice_stream_events_total", "stream");
        deliveries = rises(*before, now, "sluice_stream_deliveries_total", "stream");
    }
    const auto of = [](const Numbers& all, const std::string& name) {
        const auto found = all.find(name);
        return found == all.end() ? 0 : found->second;
    };
    for (const auto& [name, count] : events) {
        TopFigures::Stream stream{name, {}, {}, of(subscribers, name), of(retained, name)};
        if (before != nullptr) {
            stream.events = count / seconds;
            stream.deliveries = of(deliveries, name) / seconds;
        }
        figures.streams.push_back(std::move(stream));
    }
    const auto rate = [](const TopFigures::Stream& stream) {
        return stream.events.value_or(0) + stream.deliveries.value_or(0);
    };
    std::stable_sort(figures.streams.begin(), figures.streams.end(), [&](const auto& a, const auto& b) {
        return rate(a) != rate(b) ? rate(a) > rate(b) : a.retained_events > b.retained_events;
    });
}

void add_stages(const Exposition* before, const Exposition& now, double events, TopFigures& figures) {
    constexpr std::string_view name = "sluice_stage_seconds_total";
    const Numbers taken = before == nullptr ? Numbers() : rises(*before, now, name, "stage");
    for (const ExposedSample& sample : now.samples) {
        if (sample.name != name) continue;
        TopFigures::Stage stage{std::string(sample.label("stage")), {}};
        if (events > 0 && taken.contains(stage.name)) stage.microseconds = taken.at(stage.name) / events * 1e6;
        figures.stages.push_back(std::move(stage));
    }
}

void add_texts(const Exposition& now, TopFigures& figures) {
    for (const ExposedSample& sample : now.samples) {
        if (sample.name == "sluice_build_info") {
            figures.version = sample.label("version");
            figures.backend = sample.label("backend");
            figures.store = sample.label("store");
        } else if (sample.name == "sluice_store_state" && sample.value != 0) {
            figures.store_state = sample.label("state");
        }
    }
}

}  // namespace

TopFigures top_figures(const Exposition* before, const Exposition& now, double seconds) {
    TopFigures figures;
    add_texts(now, figures);
    figures.uptime_seconds = number(now, "sluice_uptime_seconds");
    figures.connections = number(now, "sluice_connections");
    figures.subscribers = number(now, "sluice_subscribers");
    figures.queued_events = number(now, "sluice_queue_events");
    figures.replay_lag = number(now, "sluice_replay_lag");
    figures.memory_used = number(now, "sluice_memory_used_bytes");
    figures.memory_limit = number(now, "sluice_memory_limit_bytes");
    double events = 0;
    if (before != nullptr) {
        events = sum(rises(*before, now, "sluice_events_total"));
        figures.events = events / seconds;
        figures.deliveries = sum(rises(*before, now, "sluice_deliveries_total")) / seconds;
        figures.refusals = sum(rises(*before, now, "sluice_documents_refused_total", "reason")) / seconds;
        const Numbers latency = rises(*before, now, "sluice_delivery_latency_seconds_bucket", "le");
        figures.delivery_p50 = quantile(0.5, latency);
        figures.delivery_p99 = quantile(0.99, latency);
    }
    add_streams(before, now, seconds, figures);
    add_stages(before, now, events, figures);
    return figures;
}

std::vector<TopFigures::Condition> costly_conditions(const boost::json::object& status) {
    std::vector<TopFigures::Condition> conditions;
    const auto* list = status.if_contains("costly_conditions");
    if (list == nullptr || !list->is_array()) return conditions;
    for (const boost::json::value& each : list->get_array()) {
        const auto* object = each.if_object();
        if (object == nullptr) continue;
        const auto number_of = [&](const char* name) {
            const auto* value = object->if_contains(name);
            return value != nullptr && value->is_number() ? value->to_number<double>() : 0;
        };
        const auto count_of = [&](const char* name) {
            const auto* value = object->if_contains(name);
            boost::system::error_code error;
            const auto count = value != nullptr ? value->to_number<std::uint64_t>(error) : 0;
            return error ? 0 : count;
        };
        const auto* text = object->if_contains("condition");
        if (text == nullptr || !text->is_string()) continue;
        conditions.push_back({std::string(text->get_string()), count_of("evaluations"), count_of("undecided"),
                              number_of("milliseconds"), number_of("slowest_milliseconds")});
    }
    return conditions;
}

}  // namespace sluice::cli
