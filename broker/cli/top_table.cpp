#include "broker/cli/top_table.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <cmath>
#include <cstdint>

#include "broker/cli/common/columns.hpp"
#include "broker/cli/common/progress.hpp"
#include "broker/cli/common/with_digits.hpp"
#include "protocol/text/terminal.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::cli {

namespace {

constexpr const char* no_number = "-";
constexpr std::size_t streams_max = 20, conditions_max = 5;
constexpr std::size_t streams_least = 3;  // before conditions get lines

// "1,234"; with one digit after the point below 10.
std::string number_text(double number) {
    if (!std::isfinite(number)) return no_number;
    if (number < 10 && number != std::floor(number)) return with_digits(number, 1);
    std::string text = with_digits(number, 0);
    for (std::size_t at = text.size(); at > 3 + (text[0] == '-' ? 1u : 0u);) text.insert(at -= 3, ",");
    return text;
}
std::string number_text(const std::optional<double>& number) { return number ? number_text(*number) : no_number; }

std::string time_text(const std::optional<double>& seconds) { return seconds ? duration(*seconds) : no_number; }

using Rows = std::vector<std::vector<std::string>>;

Rows stream_rows(const TopFigures& figures, std::size_t streams) {
    Rows rows{{"STREAM", "EVENTS/S", "DELIVERIES/S", "SUBSCRIBERS", "RETAINED"}};
    for (std::size_t i = 0; i < streams; ++i) {
        const TopFigures::Stream& stream = figures.streams[i];
        rows.push_back({text::terminal_line(stream.name), number_text(stream.events), number_text(stream.deliveries),
                        number_text(stream.subscribers), number_text(stream.retained_events)});
    }
    return rows;
}

Rows stage_rows(const TopFigures& figures) {
    Rows rows{{"STAGE"}, {"us/event"}};
    for (const TopFigures::Stage& stage : figures.stages) {
        rows[0].push_back(text::terminal_line(stage.name));
        rows[1].push_back(number_text(stage.microseconds));
    }
    return rows;
}

Rows condition_rows(const TopFigures& figures, std::size_t conditions) {
    Rows rows{{"EVALUATIONS", "UNDECIDED", "MS", "SLOWEST MS", "COSTLY CONDITION"}};
    for (std::size_t i = 0; i < conditions; ++i) {
        const TopFigures::Condition& each = figures.conditions[i];
        rows.push_back({number_text(static_cast<double>(each.evaluations)),
                        number_text(static_cast<double>(each.undecided)), number_text(each.milliseconds),
                        number_text(each.slowest_milliseconds), text::terminal_line(each.text)});
    }
    return rows;
}

// Adds a table after an empty line.
void add_table(std::vector<std::string>& lines, const Rows& rows, const std::vector<Side>& sides) {
    lines.emplace_back();
    for (std::string& line : in_columns(rows, sides)) lines.push_back(std::move(line));
}

}  // namespace

std::vector<std::string> top_table(const TopFigures& figures, const std::string& authority, std::size_t lines_max) {
    std::vector<std::string> lines;
    lines.push_back(text::terminal_line("sluice " + figures.version + " at " + authority + "  up " +
                                        duration_in_words(std::chrono::duration<double>(figures.uptime_seconds)) +
                                        "  backend " + figures.backend + "  store " + figures.store + " (" +
                                        figures.store_state + ")  connections " + number_text(figures.connections) +
                                        "  subscribers " + number_text(figures.subscribers)));
    lines.push_back("events/s " + number_text(figures.events) + "  deliveries/s " + number_text(figures.deliveries) +
                    "  refusals/s " + number_text(figures.refusals) + "  queue " + number_text(figures.queued_events) +
                    "  lag " + number_text(figures.replay_lag));
    lines.push_back("delivery p50 " + time_text(figures.delivery_p50) + ", p99 " + time_text(figures.delivery_p99) +
                    "  memory " + bytes_text(figures.memory_used) + " of " + bytes_text(figures.memory_limit));
    constexpr Side right = Side::right;
    add_table(lines, stage_rows(figures),
              {Side::left, right, right, right, right, right, right, right, right, right, right});
    constexpr std::size_t heads = 2;  // of a table: an empty line, and the names of its columns
    const auto room = [&](std::size_t left_out) {
        const std::size_t taken = lines.size() + heads + left_out;
        return lines_max > taken ? lines_max - taken : 0;
    };
    const std::size_t conditions = std::min(
        {figures.conditions.size(), conditions_max, room(heads + std::min(streams_least, figures.streams.size()))});
    const std::size_t below = conditions == 0 ? 0 : heads + conditions;
    add_table(lines, stream_rows(figures, std::min({figures.streams.size(), streams_max, room(below)})),
              {Side::left, right, right, right, right});
    if (conditions != 0) add_table(lines, condition_rows(figures, conditions), {right, right, right, right});
    if (lines.size() > lines_max) lines.resize(lines_max);
    return lines;
}

boost::json::object top_json(const TopFigures& figures) {
    const auto rate = [](const std::optional<double>& number) {
        return number ? boost::json::value(*number) : boost::json::value();
    };
    const auto whole = [](double number) { return static_cast<std::int64_t>(std::clamp(number, -9e18, 9e18)); };
    boost::json::array streams, conditions;
    boost::json::object stages;
    for (const TopFigures::Stream& each : figures.streams)
        streams.push_back({{"name", each.name},
                           {"events_per_second", rate(each.events)},
                           {"deliveries_per_second", rate(each.deliveries)},
                           {"subscribers", whole(each.subscribers)},
                           {"retained_events", whole(each.retained_events)}});
    for (const TopFigures::Stage& each : figures.stages) stages[each.name] = rate(each.microseconds);
    for (const TopFigures::Condition& each : figures.conditions)
        conditions.push_back({{"condition", each.text},
                              {"evaluations", each.evaluations},
                              {"undecided", each.undecided},
                              {"milliseconds", each.milliseconds},
                              {"slowest_milliseconds", each.slowest_milliseconds}});
    return {{"version", figures.version},
            {"backend", figures.backend},
            {"store", figures.store},
            {"store_state", figures.store_state},
            {"uptime_seconds", whole(figures.uptime_seconds)},
            {"connections", whole(figures.connections)},
            {"subscribers", whole(figures.subscribers)},
            {"events_per_second", rate(figures.events)},
            {"deliveries_per_second", rate(figures.deliveries)},
            {"refusals_per_second", rate(figures.refusals)},
            {"queued_events", whole(figures.queued_events)},
            {"replay_lag", whole(figures.replay_lag)},
            {"delivery_p50_seconds", rate(figures.delivery_p50)},
            {"delivery_p99_seconds", rate(figures.delivery_p99)},
            {"memory_used", whole(figures.memory_used)},
            {"memory_limit", whole(figures.memory_limit)},
            {"streams", std::move(streams)},
            {"microseconds_per_event", std::move(stages)},
            {"costly_conditions", std::move(conditions)}};
}

std::string first_columns(const std::string& line, std::size_t columns) {
    std::size_t at = 0;
    for (; at < line.size() && columns > 0; --columns) at += std::max<std::size_t>(text::utf8_at(line, at).length, 1);
    return line.substr(0, std::min(at, line.size()));
}

}  // namespace sluice::cli
