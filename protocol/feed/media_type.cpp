#include "protocol/feed/media_type.hpp"

#include "protocol/text/ascii.hpp"

namespace sluice {

namespace {

// Cuts the next parameter off the list, at a ';' outside quotes.
std::string_view next_parameter(std::string_view& list) {
    bool is_quoted = false;
    std::size_t end = 0;
    for (; end < list.size() && (is_quoted || list[end] != ';'); ++end) {
        if (list[end] == '"') is_quoted = !is_quoted;
        if (list[end] == '\\' && is_quoted) ++end;
    }
    const std::string_view parameter = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    return trim(parameter);
}

std::string_view unquoted(std::string_view value) {
    return value.size() >= 2 && value.front() == '"' && value.back() == '"' ? value.substr(1, value.size() - 2) : value;
}

}  // namespace

MediaType parse_media_type(std::string_view text) {
    MediaType media_type;
    media_type.type = ascii_lower(next_parameter(text));
    while (!text.empty()) {
        const std::string_view parameter = next_parameter(text);
        const std::size_t equals = parameter.find('=');
        if (equals == std::string_view::npos) continue;
        if (ascii_lower(trim(parameter.substr(0, equals))) != "charset" || !media_type.charset.empty()) continue;
        media_type.charset = trim(unquoted(trim(parameter.substr(equals + 1))));
    }
    return media_type;
}

}  // namespace sluice
