#include "broker/cli/event_text.hpp"

#include <boost/json.hpp>

#include "protocol/text/terminal.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::cli {

namespace json = boost::json;

namespace {

// "sensor/id=7, sensor/temp=3.5": the values of an item of data, on one line; long ones are cut.
std::string values_of(const json::object& event) {
    constexpr std::size_t value_bytes_max = 60, line_bytes_max = 200;
    const auto* values = event.if_contains("values");
    std::string line;
    if (values && values->is_object()) {
        for (const auto& [name, all] : values->get_object()) {
            if (!all.is_array()) continue;
            for (const json::value& each : all.get_array()) {
                if (!each.is_string() || each.get_string().empty() || line.size() > line_bytes_max) continue;
                const bool is_own_text = name == ".";
                line += (line.empty() ? "" : ", ") + (is_own_text ? "" : std::string(name) + "=") +
                        text::shortened_utf8(each.get_string(), value_bytes_max);
            }
        }
    }
    return line.empty() ? "(untitled)" : text::terminal_line(text::shortened_utf8(line, line_bytes_max));
}

std::string title_of(const json::object& event) {
    const auto* fields = event.if_contains("item");
    if (!fields || !fields->is_object()) return text::terminal_line(json::serialize(event));
    for (const char* name : {"title", "link", "id"}) {
        const auto* field = fields->get_object().if_contains(name);
        if (field && field->is_string() && !field->get_string().empty())
            return text::terminal_line(field->get_string());
    }
    return values_of(event);
}

std::string line_of(const json::value& alignment) {
    const auto text = [&](const char* member) {
        const auto* found = alignment.is_object() ? alignment.get_object().if_contains(member) : nullptr;
        if (!found) return std::string();
        return found->is_string() ? std::string(found->get_string()) : json::serialize(*found);
    };
    std::string line = text("leaf") + ": ";
    if (const auto reason = text("omitted"); !reason.empty()) return line + "left out: " + reason;
    line += "score " + text("score");
    if (text("query_start").empty()) return line;
    return line + ", query " + text("query_start") + "-" + text("query_end") + ", text " + text("text_start") + "-" +
           text("text_end") + ", " + text("cigar");
}

}  // namespace

std::string event_text(const std::string& data) {
    boost::system::error_code error;
    const auto event = json::parse(data, error);
    if (error || !event.is_object()) return text::terminal_line(data);
    std::string lines = title_of(event.get_object());
    const auto add_lines = [&](const char* member, auto line) {
        const auto* all = event.get_object().if_contains(member);
        if (!all || !all->is_array()) return;
        for (const auto& each : all->get_array()) lines += "\n  " + text::terminal_line(line(each));
    };
    add_lines("alignments", line_of);
    add_lines("estimated", [](const json::value& condition) {
        return condition.is_string() ? std::string(condition.get_string()) + ": estimated" : std::string();
    });
    return lines;
}

}  // namespace sluice::cli
