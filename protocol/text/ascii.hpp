// The few operations on ASCII that parsers of feeds share, independent of the locale. Pure functions; any thread.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace sluice {

constexpr std::string_view ascii_space = " \t\r\n";

constexpr bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_ascii_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

inline std::string ascii_lower(std::string_view text) {
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) { return ascii_lower(c); });
    return lower;
}

constexpr std::string_view trim(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(ascii_space);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(ascii_space) - begin + 1);
}

}  // namespace sluice
