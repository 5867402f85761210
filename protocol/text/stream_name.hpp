// The names that streams may have. Pure function; any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "protocol/text/ascii.hpp"

namespace sluice::text {

inline constexpr std::string_view stream_name_rule =
    "1 to 128 of the characters A-Z a-z 0-9 . _ - (not just ., .. or -)";

// "." and ".." are not names, since clients remove them from paths. Neither is "-", which stands for standard input.
inline bool is_stream_name(std::string_view name) {
    constexpr std::size_t bytes_max = 128;
    if (name.empty() || name.size() > bytes_max || name == "." || name == ".." || name == "-") return false;
    return std::all_of(name.begin(), name.end(), [](char c) {
        return is_ascii_letter(c) || is_ascii_digit(c) || c == '.' || c == '_' || c == '-';
    });
}

}  // namespace sluice::text
