#include "broker/cli/events/event_text.hpp"

#include <boost/json.hpp>
#include <initializer_list>
#include <string_view>

#include "broker/cli/common/plain_json.hpp"
#include "broker/cli/events/event_members.hpp"
#include "protocol/feed/data/json_reader.hpp"
#include "protocol/text/terminal.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::cli {

namespace json = boost::json;

namespace {

constexpr std::size_t line_bytes_max = 200;

// "sensor/id=7, sensor/temp=3.5": the values in an event's "data" or "values", on one line; long ones are cut. Numbers
// are shown as they are written. Text that is no JSON ends the line.
class ValueLine {
public:
    explicit ValueLine(std::string_view json) : reader_(json, 0, json.size()) { value(0); }

    const std::string& text() const { return line_; }

private:
    bool value(std::size_t depth);
    bool members(std::size_t depth);
    bool elements(std::size_t depth);
    void add(const std::string& value);

    feed::JsonReader reader_;
    std::string path_, line_, text_;
};

// Returns whether to go on.
bool ValueLine::value(std::size_t depth) {
    constexpr std::size_t depth_max = 16;
    const char first = reader_.next();
    if (first == '{' || first == '[') {
        if (depth < depth_max) return first == '{' ? members(depth) : elements(depth);
        reader_.skip_value();
        return true;
    }
    if (!reader_.scalar(text_)) return false;
    if (first != 'n') add(text_);
    return line_.size() <= line_bytes_max;
}

bool ValueLine::members(std::size_t depth) {
    reader_.take('{');
    if (reader_.take('}')) return true;
    const std::size_t length = path_.size();
    std::string key;
    do {
        if (!reader_.string(key) || !reader_.take(':')) return false;
        if (key != ".") path_ += (length > 0 ? "/" : "") + key;  // "." is the item's own text
        if (!value(depth + 1)) return false;
        path_.resize(length);
    } while (reader_.take(','));
    return reader_.take('}');
}

bool ValueLine::elements(std::size_t depth) {
    reader_.take('[');
    if (reader_.take(']')) return true;
    do {
        if (!value(depth + 1)) return false;
    } while (reader_.take(','));
    return reader_.take(']');
}

void ValueLine::add(const std::string& value) {
    constexpr std::size_t value_bytes_max = 60;
    if (value.empty()) return;
    line_ +=
        (line_.empty() ? "" : ", ") + (path_.empty() ? "" : path_ + "=") + text::shortened_utf8(value, value_bytes_max);
}

// The item's title, or what else tells what it is; empty: nothing does.
std::string name_of(const EventMembers& event, const json::object& fields) {
    const auto first_field = [&](std::initializer_list<const char*> names) {
        for (const char* name : names) {
            const auto* field = fields.if_contains(name);
            if (field && field->is_string() && !field->get_string().empty()) return std::string(field->get_string());
        }
        return std::string();
    };
    if (std::string name = first_field({"title", "link", "id"}); !name.empty()) return name;
    for (const char* values : {"data", "values"}) {
        const ValueLine line(event.text(values));
        if (!line.text().empty()) return text::shortened_utf8(line.text(), line_bytes_max);
    }
    return text::shortened_utf8(first_field({"summary", "content"}), line_bytes_max);
}

std::string title_of(const EventMembers& event, std::string_view all) {
    const json::value item = event.value("item");
    if (!item.is_object()) return text::terminal_line(all);
    const std::string name = name_of(event, item.get_object());
    return name.empty() ? "(untitled)" : text::terminal_line(name);
}

std::string line_of(const json::value& alignment) {
    const auto text = [&](const char* member) {
        const auto* found = alignment.is_object() ? alignment.get_object().if_contains(member) : nullptr;
        if (!found) return std::string();
        return found->is_string() ? std::string(found->get_string()) : plain_json(*found);
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
    const EventMembers event(data);
    if (!event.is_object()) return text::terminal_line(data);
    std::string lines = title_of(event, data);
    const auto add_lines = [&](const char* member, auto line) {
        const json::value all = event.value(member);
        if (!all.is_array()) return;
        for (const auto& each : all.get_array()) lines += "\n  " + text::terminal_line(line(each));
    };
    add_lines("alignments", line_of);
    add_lines("estimated", [](const json::value& condition) {
        return condition.is_string() ? std::string(condition.get_string()) + ": estimated" : std::string();
    });
    return lines;
}

}  // namespace sluice::cli
