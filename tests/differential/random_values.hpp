// The texts that random documents are filled with: few enough to meet again in filters, odd enough to tell numbers,
// quotes, spaces and characters of several bytes apart.
#pragma once

#include <string_view>

#include "tests/differential/random.hpp"

namespace sluice {

// clang-format off
inline constexpr std::string_view random_words[] = {
    "a", "b", "A", "ab", "a b", " a ", "a  b", "", "politics", "Politics", "sport", "GPU", "true", "text", "item",
    "category", "bot", "cats and dogs", "é", "É", "日本", "😀", "x&y", "<b>", "O'Neil", "say \"x\"", "'\"", "]]>", "-",
    "0", "line\nbreak", "tab\there"};

inline constexpr std::string_view random_numbers[] = {
    "0", "-0", "1", "2", "3", "5", "10", "12", "12.0", "12.5", " 12 ", "\n7\t", "90", "89.9", "90.", ".5", "-3", "-.5",
    "007", "0.1", "0.30000000000000004", "99999999999999999999", "1700000000", "1e3", "1E3", "+5", "0x10", "1,000",
    "12abc", "--1", "- 1", "1 2", "-", ".", "NaN", "Infinity"};
// clang-format on

inline std::string_view random_value(Random& random) {
    return random.chance(45) ? random.pick(random_numbers) : random.pick(random_words);
}

}  // namespace sluice
