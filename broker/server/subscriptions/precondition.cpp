#include "broker/server/subscriptions/precondition.hpp"

#include <algorithm>
#include <string_view>

#include "config/units.hpp"

namespace sluice::server {

namespace {

constexpr std::string_view blanks = " \t";

// The next element of a comma-separated list, without blanks around it. Entity tags of ours contain no comma.
std::string_view take_element(std::string_view& list) {
    const std::size_t comma = std::min(list.find(','), list.size());
    std::string_view element = list.substr(0, comma);
    list.remove_prefix(std::min(comma + 1, list.size()));
    element.remove_prefix(std::min(element.find_first_not_of(blanks), element.size()));
    element = element.substr(0, element.find_last_not_of(blanks) + 1);
    return element;
}

// Tags of others, and weak ones, match nothing.
std::uint64_t version_of(std::string_view tag) {
    if (tag.size() < 2 || tag.front() != '"' || tag.back() != '"') return 0;
    return config::parse_integer(tag.substr(1, tag.size() - 2)).value_or(0);
}

}  // namespace

std::string etag_of(std::uint64_t version) { return '"' + std::to_string(version) + '"'; }

bool Precondition::holds(std::uint64_t version) const {
    if (must_not_exist && version != 0) return false;
    if (!must_exist) return true;
    return version != 0 && (versions.empty() || std::find(versions.begin(), versions.end(), version) != versions.end());
}

Precondition read_precondition(const HttpRequest& request) {
    Precondition wanted;
    const HeadFields& headers = *request.headers;
    if (headers.count(http::field::if_match) != 0) {
        wanted.must_exist = true;
        for (const auto& field : headers) {
            if (field.name() != http::field::if_match) continue;
            for (std::string_view list = field.value(); !list.empty();) {
                const std::string_view element = take_element(list);
                if (element != "*" && !element.empty()) wanted.versions.push_back(version_of(element));
            }
        }
    }
    if (headers.count(http::field::if_none_match) != 0) {
        wanted.must_not_exist = true;
        if (request.header(http::field::if_none_match) != "*")
            wanted.refusal = status_reply(400, "If-None-Match must be *, so that nothing is replaced");
    }
    return wanted;
}

HttpReply failed_precondition(const std::string& name, std::uint64_t version) {
    if (version == 0) return status_reply(412, "there is no subscription \"" + name + "\"");
    return status_reply(412, "subscription \"" + name + "\" has version " + etag_of(version));
}

}  // namespace sluice::server
