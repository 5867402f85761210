// The texts of random documents: few enough to occur again in filters, odd enough to cover numbers, quotes, spaces and
// multi-byte characters.
#pragma once

#include <string_view>

#include "tests/differential/random.hpp"
#include "tests/differential/random_document.hpp"

namespace sluice {

// clang-format off
inline constexpr std::string_view random_words[] = {
    "a", "b", "A", "ab", "a b", " a ", "a  b", "", "politics", "Politics", "sport", "GPU", "true", "text", "item",
    "category", "bot", "cats and dogs", "é", "É", "日本", "😀", "naïve café", "Zoë & Åsa", "  ", "\n  ", "x&y", "<b>", "O'Neil", "say \"x\"", "'\"", "]]>", "-",
    "0", "line\nbreak", "tab\there"};

inline constexpr std::string_view random_numbers[] = {
    "0", "-0", "1", "2", "3", "5", "10", "12", "12.0", "12.5", " 12 ", "\n7\t", "90", "89.9", "90.", ".5", "-3", "-.5",
    "007", "0.1", "0.30000000000000004", "99999999999999999999", "1700000000", "1e3", "1E3", "+5", "0x10", "1,000",
    "12abc", "--1", "- 1", "1 2", "-", ".", "NaN", "Infinity"};
// clang-format on

inline bool has_style(std::string_view value, const DocumentStyle& style) {
    if (style.ascii)
        for (const char c : value)
            if (static_cast<unsigned char>(c) >= 0x80) return false;
    if (!style.plain_numbers) return true;
    // libxml2 also accepts "-" as a number, and any piece of a negative number may be that.
    const bool plain = value != "1e3" && value != "1E3" && value.find('-') == value.npos && value.size() < 12;
    return plain || value.find_first_of("-0123456789") == value.npos;
}

inline std::string_view random_number(Random& random, const DocumentStyle& style) {
    while (true)
        if (const std::string_view value = random.pick(random_numbers); has_style(value, style)) return value;
}

inline std::string_view random_value(Random& random, const DocumentStyle& style) {
    if (random.chance(45)) return random_number(random, style);
    while (true)
        if (const std::string_view value = random.pick(random_words); has_style(value, style)) return value;
}

}  // namespace sluice
