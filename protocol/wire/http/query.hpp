// The target of an HTTP request and its decoded query: names and values in order; names may repeat. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::wire {

using Query = std::vector<std::pair<std::string, std::string>>;

struct RequestTarget {
    std::string path;            // as sent, but with unreserved characters as they are (RFC 3986 §6.2.2.2)
    std::string_view authority;  // "host:port" of a target in absolute form, else ""
    Query query;
};

// Splits a request target in origin form ("/v1/events?stream=a&filter=b+c%2Bd") or in absolute form
// ("http://host/v1/events"). "+" is a space, as in HTML forms and client libraries. No value: the target is in neither
// form, or its query has a "%" without two hex digits after it.
std::optional<RequestTarget> parse_target(std::string_view target);

// "%41" -> "A", "+" -> " ". No value: a "%" without two hex digits after it.
std::optional<std::string> decode_query_text(std::string_view text);

}  // namespace sluice::wire
