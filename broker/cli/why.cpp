#include <algorithm>
#include <boost/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "broker/cli/client/members.hpp"
#include "broker/cli/client/query.hpp"
#include "broker/cli/client/target.hpp"
#include "broker/cli/commands.hpp"
#include "broker/cli/common/columns.hpp"
#include "broker/cli/common/plain_json.hpp"
#include "broker/match/elided.hpp"
#include "config/units.hpp"
#include "protocol/text/terminal.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::cli {

namespace json = boost::json;

namespace {

std::string mark_of(std::optional<bool> holds) { return !holds ? "–" : *holds ? "✓" : "✗"; }

std::string numbered_leaf(std::uint64_t index) { return "[" + std::to_string(index + 1) + "]"; }

std::string computed_text(const json::object& leaf) {
    std::string text;
    for (const json::value& number : array_in(leaf, "computed"))
        text += (text.empty() ? "computed: " : ", ") + (number.is_null() ? "nothing" : plain_json(number));
    return text.empty() ? text : text + "; ";
}

// "'Lamp', 'Bell' and 7 more", after the computed numbers; or why there is no answer.
std::string values_text(const json::object& leaf) {
    constexpr std::size_t bytes_max = 200;
    std::string text = computed_text(leaf), separator;
    if (const std::string reason = text_in(leaf, "reason"); !reason.empty()) text += "(" + reason + ") ";
    std::size_t shown = 0;
    for (const json::value& value : array_in(leaf, "values")) {
        if (!value.is_string() || text.size() > bytes_max) break;
        text += separator + "'" + text::terminal_line(std::string(value.get_string())) + "'";
        separator = ", ";
        ++shown;
    }
    if (const auto* all = leaf.if_contains("value_count"); all && all->is_number()) {
        const std::uint64_t count = number_in(leaf, "value_count");
        if (count == 0) return text + "none";
        if (count > shown) text += " and " + std::to_string(count - shown) + " more";
    }
    return text;
}

void print_columns(const std::vector<std::vector<std::string>>& rows, const Console& console) {
    console.out << '\n';
    const auto lines = in_columns(rows, {});
    for (std::size_t i = 0; i < lines.size(); ++i)
        console.out << (i == 0 ? console.coloured(lines[i], Colour::bold) : lines[i]) << '\n';
}

void print_leaves(const json::object& reply, const Console& console) {
    std::vector<std::vector<std::string>> rows{{"", "", "CONDITION", "VALUES"}};
    for (const json::object& leaf : objects_in(reply, "leaves"))
        rows.push_back({mark_of(bool_in(leaf, "holds")), numbered_leaf(rows.size() - 1),
                        broker::elided(text_in(leaf, "leaf")), values_text(leaf)});
    if (rows.size() > 1) print_columns(rows, console);
}

void print_alternatives(const json::object& reply, const Console& console) {
    std::vector<std::vector<std::string>> rows{{"", "", "ALTERNATIVE"}};
    for (const json::object& alternative : objects_in(reply, "alternatives")) {
        std::string literals;
        for (const json::object& literal : objects_in(alternative, "literals"))
            literals += (literals.empty() ? "" : " and ") +
                        std::string(bool_in(literal, "negated").value_or(false) ? "not " : "") +
                        numbered_leaf(number_in(literal, "leaf"));
        rows.push_back({mark_of(bool_in(alternative, "holds")), std::to_string(rows.size()), std::move(literals)});
    }
    if (rows.size() > 2) print_columns(rows, console);
}

void print(const json::object& reply, const Console& console) {
    const std::optional<bool> matched = bool_in(reply, "matched");
    console.out << console.coloured("event " + std::to_string(number_in(reply, "id")) + " of " +
                                        text_in(reply, "stream") +
                                        (!matched   ? " is undecided"
                                         : *matched ? " matched"
                                                    : " did not match"),
                                    Colour::bold);
    const std::string because = text_in(reply, "because");
    if (const std::size_t colon = because.find(": "); colon != std::string::npos) console.out << because.substr(colon);
    std::string title = text_in(reply, "title");
    if (title.empty()) title = text_in(reply, "item_id");
    console.out << '\n'
                << (title.empty() ? "(untitled)" : title) << ", " << text_in(reply, "change") << " at "
                << text_in(reply, "time") << '\n';
    print_leaves(reply, console);
    print_alternatives(reply, console);
}

bool is_id(std::string_view text) {
    const std::size_t dash = text.rfind('-');
    const bool has_epoch = dash != std::string_view::npos && dash != 0;
    const auto number = config::parse_integer(has_epoch ? text.substr(dash + 1) : text);
    return number && *number != 0 && std::all_of(text.begin(), text.end(), [](char c) {
               return c == '-' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
           });
}

}  // namespace

int why(const WhyOptions& options, Console console) {
    if (!is_id(options.id)) {
        console.error("--id: expected an event's number, or EPOCH-ID as in the event stream, not \"" + options.id +
                      "\"");
        return exit_failed;
    }
    const auto server = find_server(options);
    if (!server) {
        console.error(server.error().message);
        return exit_failed;
    }
    Parameters parameters{{"filter", options.filter}};
    if (options.stream) parameters.emplace_back("stream", *options.stream);
    HttpRequest request;
    request.target = target_of("/v1/events/" + options.id + "/why", parameters);
    const Answer answer = ask(*server, request, "why", console);
    if (!answer.is_ok) return exit_failed;
    report_hints(answer.body, console);
    if (options.json)
        console.print_json(plain_json(answer.body));
    else
        print(answer.body, console);
    const std::optional<bool> matched = bool_in(answer.body, "matched");
    return !matched ? exit_undecided : *matched ? exit_done : exit_no_match;
}

}  // namespace sluice::cli
