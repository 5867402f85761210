// The few ASCII operations that feed parsers share, independent of the locale. Pure functions; any thread.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace sluice::text {

constexpr std::string_view ascii_space = " \t\r\n";

constexpr bool is_ascii_space(char c) {
    return static_cast<unsigned char>(c) <= ' ' && (c == ' ' || c == '\n' || c == '\t' || c == '\r');
}
constexpr bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_ascii_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

// The value of a hexadecimal digit; -1 if it is none.
constexpr int hex_digit(char c) {
    if (is_ascii_digit(c)) return c - '0';
    const char lower = ascii_lower(c);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

inline std::string ascii_lower(std::string_view text) {
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) { return ascii_lower(c); });
    return lower;
}

// The offset of the first character that is so, from `at` on; npos: none is. For a few characters in short texts:
// std::string_view::find_first_of() calls memchr for each character of the text.
template <class Is>
constexpr std::size_t find_if(std::string_view text, Is is, std::size_t at = 0) {
    while (at < text.size() && !is(text[at])) ++at;
    return at < text.size() ? at : std::string_view::npos;
}

constexpr std::string_view trim(std::string_view text) {
    while (!text.empty() && is_ascii_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_ascii_space(text.back())) text.remove_suffix(1);
    return text;
}

}  // namespace sluice::text
