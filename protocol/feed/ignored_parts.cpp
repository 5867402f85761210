#include "protocol/feed/ignored_parts.hpp"

#include <algorithm>

#include "protocol/text/ascii.hpp"

namespace sluice::feed {

namespace {

constexpr std::size_t npos = std::string_view::npos;
constexpr std::size_t failed_passes = 4;  // over the source, by all searches for an end that find none
constexpr std::string_view ends_of_value = "&\"'<>#) \t\r\n";

bool is_parameter_char(char c) {
    return text::is_ascii_letter(c) || text::is_ascii_digit(c) || c == '_' || c == '-' || c == '.';
}

bool is_parameter(const std::string& name) { return name.front() == '?'; }

char char_at(std::string_view text, std::size_t at) { return at < text.size() ? text[at] : '\0'; }

// The length of what separates parameters, if it is at `at`, in XML or in JSON; else 0.
std::size_t separator_size(std::string_view source, std::size_t at) {
    for (const std::string_view separator : {"&amp;", "&#38;", "&", ";"}) {
        if (source.substr(at).starts_with(separator)) return separator.size();
    }
    return 0;
}

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

// The offset behind the element `name` whose start tag's name ends at `at`; npos if it has no end.
std::size_t end_of_named(std::string_view source, std::size_t at, const std::string& name) {
    const std::size_t end = end_of_tag(source, at);
    if (end == npos || source[end - 2] == '/') return end;
    const std::string close_tag = "</" + name;
    const std::size_t close = source.find(close_tag, end);
    return close == npos ? npos : end_of_tag(source, close + close_tag.size());
}

}  // namespace

// The offset behind the ignored element that begins at `at`; npos if none does, or it has no end.
std::size_t IgnoredParts::end_of_element(std::string_view source, std::size_t at, std::size_t& patience) const {
    const char first = char_at(source, at + 1);
    for (const std::string& name : names_) {
        if (name.front() != first || is_parameter(name) || !source.substr(at + 1).starts_with(name)) continue;
        const std::size_t after = at + 1 + name.size();
        const char next = char_at(source, after);
        if (next != '>' && next != '/' && text::ascii_space.find(next) == npos) continue;
        if (patience < source.size() - at) return npos;
        const std::size_t end = end_of_named(source, after, name);
        if (end == npos) patience -= source.size() - at;
        return end;
    }
    return npos;
}

// The offset behind the value of the ignored parameter that begins at `at`; npos if none does.
std::size_t IgnoredParts::end_of_parameter(std::string_view source, std::size_t at) const {
    for (const std::string& each : names_) {
        if (!is_parameter(each)) continue;
        std::string_view name = std::string_view(each).substr(1);
        const bool is_prefix = name.ends_with('*');
        if (is_prefix) name.remove_suffix(1);
        if (!source.substr(at).starts_with(name)) continue;
        std::size_t end = at + name.size();
        while (is_prefix && is_parameter_char(char_at(source, end))) ++end;
        if (char_at(source, end) == '=') return std::min(source.find_first_of(ends_of_value, end), source.size());
    }
    return npos;
}

// What to leave out for the ignored parameters behind the '?' or separator at `at`: an address without them is the one
// that never had them. Empty if there are none.
IgnoredParts::Range IgnoredParts::parameters_behind(std::string_view source, std::size_t at) const {
    const bool is_first = source[at] == '?';
    const std::size_t begin = at + (is_first ? 1 : separator_size(source, at));
    std::size_t end = begin;
    while (true) {
        const std::size_t end_of_value = end_of_parameter(source, end);
        if (end_of_value == npos) return {begin, end};
        const std::size_t separator = separator_size(source, end_of_value);
        if (!is_first || separator == 0) return {at, end_of_value};
        end = end_of_value + separator;
    }
}

std::string_view IgnoredParts::without(std::string_view source, std::string& room) const {
    std::size_t patience = failed_passes * source.size();
    room.clear();
    std::size_t copied = 0;
    for (std::size_t at = 0; at < source.size();) {
        Range left_out{at, at};
        if (source[at] == '<') {
            const std::size_t end = end_of_element(source, at, patience);
            if (end != npos) left_out.end = end;
        } else if (source[at] == '?' || source[at] == '&' || source[at] == ';') {
            left_out = parameters_behind(source, at);
        }
        if (left_out.begin == left_out.end) {
            ++at;
            continue;
        }
        room += source.substr(copied, left_out.begin - copied);
        copied = at = left_out.end;
    }
    if (copied == 0) return source;
    room += source.substr(copied);
    return room;
}

}  // namespace sluice::feed
