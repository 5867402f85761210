#include "broker/cli/store/damage_lines.hpp"

#include <boost/json.hpp>

#include "protocol/text/terminal.hpp"

namespace sluice::cli {

std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

std::string damage_line(const store::Damage& damage) {
    const auto& [first_id, last_id, streams, what] = damage;
    std::string where;
    if (last_id != 0) where = "events from " + std::to_string(first_id) + " to " + std::to_string(last_id);
    if (!streams.empty()) where += (where.empty() ? "" : " of ") + listed(streams);
    return text::terminal_line(where.empty() ? what : where + ": " + what);
}

boost::json::array damage_json(const std::vector<store::Damage>& damage) {
    boost::json::array list;
    for (const auto& [first_id, last_id, streams, what] : damage) {
        boost::json::object one;
        if (last_id != 0) {
            one["first_id"] = first_id;
            one["last_id"] = last_id;
        }
        one["streams"] = boost::json::value_from(streams);
        one["what"] = what;
        list.push_back(std::move(one));
    }
    return list;
}

}  // namespace sluice::cli
