#include "broker/cli/client/members.hpp"

#include <boost/json.hpp>

#include "protocol/text/terminal.hpp"

namespace sluice::cli {

namespace json = boost::json;

std::uint64_t number_in(const json::object& object, std::string_view name) {
    const auto* value = object.if_contains(name);
    boost::system::error_code error;
    const std::uint64_t number = value ? value->to_number<std::uint64_t>(error) : 0;
    return error ? 0 : number;
}

std::string text_in(const json::object& object, std::string_view name) {
    const auto* value = object.if_contains(name);
    return value && value->is_string() ? text::terminal_line(std::string(value->get_string())) : std::string();
}

std::optional<bool> bool_in(const json::object& object, std::string_view name) {
    const auto* value = object.if_contains(name);
    return value && value->is_bool() ? std::optional(value->get_bool()) : std::nullopt;
}

json::object object_in(const json::object& object, std::string_view name) {
    const auto* value = object.if_contains(name);
    return value && value->is_object() ? value->get_object() : json::object();
}

json::array array_in(const json::object& object, std::string_view name) {
    const auto* value = object.if_contains(name);
    return value && value->is_array() ? value->get_array() : json::array();
}

std::vector<json::object> objects_in(const json::object& object, std::string_view name) {
    std::vector<json::object> objects;
    for (const json::value& each : array_in(object, name))
        if (each.is_object()) objects.push_back(each.get_object());
    return objects;
}

void report_hints(const json::object& reply, const Console& console) {
    for (const json::object& hint : objects_in(reply, "hints")) {
        std::string text = "hint: filter:" + std::to_string(number_in(hint, "line")) + ":" +
                           std::to_string(number_in(hint, "column")) + ": " + text_in(hint, "message");
        const auto* excerpt = hint.if_contains("excerpt");
        if (excerpt && excerpt->is_string()) text += "\n" + std::string(excerpt->get_string());
        json::object more{{"about", "filter"}, {"detail", text_in(hint, "message")}};
        for (const auto& [name, value] : hint) more[name] = value;
        console.note(text, more);
    }
}

}  // namespace sluice::cli
