// The query of a URL, decoded: names and values in order, names may repeat. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {

using Query = std::vector<std::pair<std::string, std::string>>;

struct RequestTarget {
    std::string_view path;  // as sent, a view into the target
    Query query;
};

// Splits a request target in origin form ("/v1/events?stream=a&filter=b+c%2Bd"). "+" is a space, as in HTML forms and
// every client library. No value: a target that does not start with "/", or has a "%" without two hex digits behind
// it in its query.
std::optional<RequestTarget> parse_target(std::string_view target);

// "%41" -> "A", "+" -> " ". No value: a "%" without two hex digits.
std::optional<std::string> decode_query_text(std::string_view text);

}  // namespace sluice
