#include "broker/cli/common/lines.hpp"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "broker/cli/common/columns.hpp"
#include "broker/cli/common/plain_json.hpp"
#include "protocol/text/terminal.hpp"

namespace sluice::cli {

namespace json = boost::json;

namespace {

bool tells_nothing(const json::value& value) {
    switch (value.kind()) {
        case json::kind::null:
            return true;
        case json::kind::bool_:
            return !value.get_bool();
        case json::kind::string:
            return value.get_string().empty();
        case json::kind::array:
            return value.get_array().empty();
        case json::kind::object:
            return value.get_object().empty();
        default:
            return value.to_number<double>() == 0;
    }
}

bool has_objects(const json::value& value) {
    const auto* list = value.if_array();
    return list && std::any_of(list->begin(), list->end(), [](const json::value& each) { return each.is_object(); });
}

class Rows {
public:
    explicit Rows(Values values) : values_(values) {}

    void add(const json::object& object, const std::string& prefix) {
        for (const auto& [key, value] : object) add(prefix + std::string(key), value);
    }
    std::vector<std::vector<std::string>> take() { return std::move(rows_); }

private:
    void add(const std::string& name, const json::value& value) {
        if (const auto* nested = value.if_object(); nested && !nested->empty()) return add(*nested, name + ".");
        if (has_objects(value)) {
            const auto& list = value.get_array();
            for (std::size_t i = 0; i < list.size(); ++i) add(name + "." + std::to_string(i), list[i]);
            return;
        }
        if (values_ == Values::telling && tells_nothing(value)) return;
        const std::string text = value.is_string() ? std::string(value.get_string()) : plain_json(value);
        rows_.push_back({text::terminal_line(name), text::terminal_line(text)});
    }

    Values values_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace

std::vector<std::string> as_lines(const json::object& object, Values values) {
    Rows rows(values);
    rows.add(object, "");
    return in_columns(rows.take(), {});
}

}  // namespace sluice::cli
