#include "broker/server/http/parameters.hpp"

#include <algorithm>

namespace sluice::server {

namespace {

// An excerpt of a client's text, to quote in the reply.
std::string excerpt(std::string_view text) {
    constexpr std::size_t bytes_max = 100;
    return text.size() <= bytes_max ? std::string(text) : std::string(text.substr(0, bytes_max)) + "...";
}

}  // namespace

std::optional<HttpReply> refuse_unknown_parameters(const wire::Query& query,
                                                   std::initializer_list<std::string_view> single,
                                                   std::string_view repeatable) {
    for (const auto& [name, value] : query) {
        if (!repeatable.empty() && name == repeatable) continue;
        if (std::find(single.begin(), single.end(), name) == single.end()) {
            std::string known;
            for (const std::string_view each : single) known += (known.empty() ? "" : ", ") + std::string(each);
            if (!repeatable.empty()) known += ", " + std::string(repeatable);
            return status_reply(
                400, "unknown parameter \"" + excerpt(name) + "\"; expected " + (known.empty() ? "none" : known));
        }
        const auto same_name = [&name = name](const auto& pair) { return pair.first == name; };
        if (std::count_if(query.begin(), query.end(), same_name) > 1) {
            return status_reply(400, "parameter \"" + name + "\" is given more than once");
        }
    }
    return std::nullopt;
}

std::string_view parameter(const wire::Query& query, std::string_view name, std::string_view by_default) {
    for (const auto& [each, value] : query) {
        if (each == name) return value;
    }
    return by_default;
}

HttpReply bad_parameter(std::string_view name, std::string_view value, std::string_view expected) {
    return status_reply(400, "parameter \"" + std::string(name) + "\" is \"" + excerpt(value) + "\"; expected " +
                                 std::string(expected));
}

}  // namespace sluice::server
