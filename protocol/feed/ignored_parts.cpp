#include "protocol/feed/ignored_parts.hpp"

#include <algorithm>

#include "protocol/text/ascii.hpp"

namespace sluice::feed {

namespace {

constexpr std::size_t npos = std::string_view::npos;
constexpr std::string_view ends_of_value = "&\"'<>#) \t\r\n";

bool is_parameter_char(char c) {
    return text::is_ascii_letter(c) || text::is_ascii_digit(c) || c == '_' || c == '-' || c == '.';
}

char char_at(std::string_view text, std::size_t at) { return at < text.size() ? text[at] : '\0'; }

// The offset behind the '>' of the tag that begins at `at`; npos if it has none.
std::size_t end_of_tag(std::string_view source, std::size_t at) {
    char quote = '\0';
    for (; at < source.size(); ++at) {
        const char c = source[at];
        if (quote != '\0') {
            if (c == quote) quote = '\0';
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '>') {
            return at + 1;
        }
    }
    return npos;
}

// The offset behind the element whose start tag "<name" begins at `at`; npos if the name goes on, or there is no end.
std::size_t end_of_element(std::string_view source, std::size_t at, std::string_view open_tag) {
    const char next = char_at(source, at + open_tag.size());
    if (next != '>' && next != '/' && text::ascii_space.find(next) == npos) return npos;
    const std::size_t end = end_of_tag(source, at + open_tag.size());
    if (end == npos || source[end - 2] == '/') return end;
    const std::string close_tag = "</" + std::string(open_tag.substr(1));
    const std::size_t close = source.find(close_tag, end);
    return close == npos ? npos : end_of_tag(source, close + close_tag.size());
}

// The offset behind the value of the parameter whose name begins at `at`; npos if it is no parameter.
std::size_t end_of_parameter(std::string_view source, std::size_t at, std::string_view name, bool is_prefix) {
    const char before = at == 0 ? '\0' : source[at - 1];
    if (before != '?' && before != '&' && before != ';') return npos;
    std::size_t end = at + name.size();
    while (is_prefix && is_parameter_char(char_at(source, end))) ++end;
    if (char_at(source, end) != '=') return npos;
    return std::min(source.find_first_of(ends_of_value, end), source.size());
}

}  // namespace

IgnoredParts::IgnoredParts(std::span<const std::string> names) {
    for (const std::string& name : names) {
        if (!name.starts_with('?')) {
            open_tags_.push_back('<' + name);
        } else if (name.ends_with('*')) {
            parameters_.push_back({name.substr(1, name.size() - 2), true});
        } else {
            parameters_.push_back({name.substr(1), false});
        }
    }
}

std::string_view IgnoredParts::without(std::string_view source, std::string& room) const {
    std::vector<Range> left_out;
    const auto find = [&](std::string_view text, auto end_of) {
        for (std::size_t at = source.find(text); at != npos;) {
            const std::size_t end = end_of(at);
            if (end != npos) left_out.emplace_back(at, end);
            at = source.find(text, end == npos ? at + text.size() : end);
        }
    };
    for (const std::string& tag : open_tags_)
        find(tag, [&](std::size_t at) { return end_of_element(source, at, tag); });
    for (const Parameter& p : parameters_)
        find(p.name, [&](std::size_t at) { return end_of_parameter(source, at, p.name, p.is_prefix); });
    if (left_out.empty()) return source;
    std::sort(left_out.begin(), left_out.end());
    room.clear();
    std::size_t at = 0;
    for (const auto& [begin, end] : left_out) {
        if (begin > at) room += source.substr(at, begin - at);
        at = std::max(at, end);
    }
    room += source.substr(at);
    return room;
}

}  // namespace sluice::feed
