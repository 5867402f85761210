#include "broker/net/parameters.hpp"

#include <algorithm>

namespace sluice {

std::optional<HttpReply> refuse_unknown_parameters(const Query& query, std::initializer_list<std::string_view> single,
                                                   std::string_view repeatable) {
    for (const auto& [name, value] : query) {
        if (!repeatable.empty() && name == repeatable) continue;
        if (std::find(single.begin(), single.end(), name) == single.end()) {
            std::string known;
            for (const std::string_view each : single) known += (known.empty() ? "" : ", ") + std::string(each);
            if (!repeatable.empty()) known += ", " + std::string(repeatable);
            return status_reply(400, "unknown parameter \"" + name + "\"; known are " + known);
        }
        const auto same_name = [&name = name](const auto& pair) { return pair.first == name; };
        if (std::count_if(query.begin(), query.end(), same_name) > 1) {
            return status_reply(400, "parameter \"" + name + "\" is given more than once");
        }
    }
    return std::nullopt;
}

std::string_view parameter(const Query& query, std::string_view name, std::string_view by_default) {
    for (const auto& [each, value] : query) {
        if (each == name) return value;
    }
    return by_default;
}

HttpReply bad_parameter(std::string_view name, std::string_view value, std::string_view expected) {
    return status_reply(400, "parameter \"" + std::string(name) + "\" is \"" + std::string(value) + "\"; expected " +
                                 std::string(expected));
}

}  // namespace sluice
