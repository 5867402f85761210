#include "broker/cli/match_past.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "broker/cli/client/members.hpp"
#include "broker/cli/client/query.hpp"
#include "broker/cli/common/columns.hpp"
#include "broker/cli/common/plain_json.hpp"
#include "config/units.hpp"
#include "protocol/text/date.hpp"

namespace sluice::cli {

namespace json = boost::json;

namespace {

constexpr std::chrono::minutes silence_max{10};  // the broker replies when it has read all events

void print_rows(const std::vector<std::vector<std::string>>& rows, const std::vector<Side>& sides,
                const Console& console) {
    const auto lines = in_columns(rows, sides);
    for (std::size_t i = 0; i < lines.size(); ++i)
        console.out << (i == 0 ? console.coloured(lines[i], Colour::bold) : lines[i]) << '\n';
}

// A bar is as long as the hour's matches are of those of the hour with the most.
void print_hours(const json::object& reply, const Console& console) {
    constexpr std::uint64_t bar_columns = 30;
    const auto hours = objects_in(reply, "hours");
    std::uint64_t most = 0;
    for (const json::object& hour : hours) most = std::max(most, number_in(hour, "matched"));
    std::vector<std::vector<std::string>> rows{{"HOUR", "EVENTS", "MATCHED"}};
    const auto add = [&](std::string name, const json::object& counts, std::string bar) {
        rows.push_back({std::move(name), std::to_string(number_in(counts, "events")),
                        std::to_string(number_in(counts, "matched")), std::move(bar)});
    };
    for (const json::object& hour : hours) {
        const std::uint64_t matched = number_in(hour, "matched");
        const double share = most == 0 ? 0 : static_cast<double>(matched) / static_cast<double>(most);
        const auto columns = static_cast<std::size_t>(share * static_cast<double>(bar_columns));
        add(text_in(hour, "hour"), hour, std::string(matched == 0 ? 0 : std::max<std::size_t>(columns, 1), '#'));
    }
    add("all", reply, "");
    print_rows(rows, {Side::left, Side::right, Side::right}, console);
}

void print_examples(const json::object& reply, const Console& console) {
    const auto examples = objects_in(reply, "examples");
    if (examples.empty()) return;
    std::vector<std::vector<std::string>> rows{{"NEWEST", "TIME", "TITLE"}};
    for (const json::object& example : examples) {
        std::string title = text_in(example, "title");
        if (title.empty()) title = text_in(example, "item_id");
        rows.push_back({std::to_string(number_in(example, "id")), text_in(example, "time"),
                        title.empty() ? "(untitled)" : std::move(title)});
    }
    console.out << '\n';
    print_rows(rows, {Side::right}, console);
}

// What the counts leave out. Returns whether anything is undecided.
bool report_gaps(const json::object& reply, const std::string& stream, const Console& console) {
    const std::string reset = text_in(reply, "reset");
    if (reset == "epoch")
        console.warning("the broker has no older events: it began later", {{"reset", reset}, {"about", stream}});
    else if (!reset.empty())
        console.warning("events of that time are no longer retained", {{"reset", reset}, {"about", stream}});
    const json::object undecided = object_in(reply, "undecided");
    bool any = false;
    const auto report = [&](const char* reason, const char* why) {
        const std::uint64_t events = number_in(undecided, reason);
        if (events == 0) return;
        any = true;
        console.warning(std::to_string(events) + (events == 1 ? " event is" : " events are") + " undecided: " + why,
                        {{"reason", reason}, {"events", events}, {"about", stream}});
    };
    report("over-budget", "the filter would exceed its budget");
    report("context", "the filter looks at what is beside the items, which was not retained");
    report("undelivered", "the broker could not read them again");
    if (bool_in(reply, "complete").value_or(false)) return any;
    const json::object until = object_in(reply, "read_until");
    console.warning(
        "the broker ended at its limit of work (limits.trial_time, or a million events): it has read until "
        "event " +
            std::to_string(number_in(until, "id")) + ", " + text_in(until, "time"),
        {{"read_until", until}, {"about", stream}});
    return true;
}

}  // namespace

int match_past(const MatchOptions& options, const Console& console) {
    if (!config::parse_duration(*options.since) && !text::parse_date(*options.since)) {
        console.error(
            "--since: expected a time such as 2026-11-27T10:00:00Z, or a duration such as 30min or 24h, not \"" +
            *options.since + "\"");
        return exit_failed;
    }
    auto server = find_server(options);
    if (!server) {
        console.error(server.error().message);
        return exit_failed;
    }
    server->silence_max = options.timeout.value_or(silence_max);
    HttpRequest request;
    request.method = "POST";
    request.target = "/v1/match";
    request.content_type = "application/json";
    request.body = json::serialize(
        json::object{{"filter", options.filter}, {"stream", options.stream}, {"since", *options.since}});
    const Answer answer = ask(*server, request, "match", console);
    if (!answer.is_ok) return exit_failed;
    report_hints(answer.body, console);
    if (options.json) {
        console.print_json(plain_json(answer.body));
    } else {
        print_hours(answer.body, console);
        print_examples(answer.body, console);
    }
    if (report_gaps(answer.body, options.stream, console)) return exit_undecided;
    return number_in(answer.body, "matched") == 0 ? exit_no_match : exit_done;
}

}  // namespace sluice::cli
