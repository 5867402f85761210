#include "protocol/feed/model/media_type.hpp"

#include <algorithm>

#include "protocol/text/ascii.hpp"

namespace sluice::feed {

namespace {

// The offset of the first ';' outside quotes, or beyond the end.
std::size_t find_parameter_end(std::string_view list) {
    const std::size_t first = std::min(list.find(';'), list.size());
    if (list.substr(0, first).find('"') == std::string_view::npos) return first;
    bool is_quoted = false;
    std::size_t end = 0;
    for (; end < list.size() && (is_quoted || list[end] != ';'); ++end) {
        if (list[end] == '"') is_quoted = !is_quoted;
        if (list[end] == '\\' && is_quoted) ++end;
    }
    return end;
}

// Cuts the next parameter off the list.
std::string_view next_parameter(std::string_view& list) {
    const std::size_t end = find_parameter_end(list);
    const std::string_view parameter = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    return text::trim(parameter);
}

std::string_view unquoted(std::string_view value) {
    return value.size() >= 2 && value.front() == '"' && value.back() == '"' ? value.substr(1, value.size() - 2) : value;
}

}  // namespace

MediaType MediaType::parse(std::string_view text) {
    MediaType media_type;
    media_type.type = text::ascii_lower(next_parameter(text));
    while (!text.empty()) {
        const std::string_view parameter = next_parameter(text);
        const std::size_t equals = parameter.find('=');
        if (equals == std::string_view::npos) continue;
        const std::string name = text::ascii_lower(text::trim(parameter.substr(0, equals)));
        const std::string_view value = text::trim(unquoted(text::trim(parameter.substr(equals + 1))));
        if (name == "charset" && media_type.charset.empty()) media_type.charset = value;
        if (name == "header" && media_type.header.empty()) media_type.header = text::ascii_lower(value);
    }
    return media_type;
}

bool names_feed(std::string_view type) {
    if (!type.starts_with("text/") && !type.starts_with("application/")) return false;
    const auto is_separator = [](char c) { return c == '/' || c == '+' || c == '-' || c == '.' || c == '_'; };
    for (const char* begin = type.begin(); begin != type.end();) {
        const char* const end = std::find_if(begin, type.end(), is_separator);
        const std::string_view word(begin, end);
        for (const std::string_view meant : {"xml", "rss", "atom", "rdf", "feed"}) {
            if (word == meant) return true;
        }
        begin = end == type.end() ? end : end + 1;
    }
    return false;
}

}  // namespace sluice::feed
