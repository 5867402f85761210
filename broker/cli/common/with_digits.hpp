// Numbers for people. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <cstdio>
#include <iterator>
#include <string>

namespace sluice::cli {

// The number with so many digits after the point.
inline std::string with_digits(double value, int digits) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return text;
}

// "52.3 ms"
inline std::string duration(double seconds) {
    if (seconds < 0.001) return with_digits(seconds * 1e6, 0) + " us";
    return seconds < 1 ? with_digits(seconds * 1000, 1) + " ms" : with_digits(seconds, 1) + " s";
}

// "52.3 MiB"
inline std::string bytes_text(double bytes) {
    constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    for (; bytes >= 1024 && unit + 1 < std::size(units); ++unit) bytes /= 1024;
    return with_digits(bytes, unit == 0 || bytes >= 100 ? 0 : 1) + " " + units[unit];
}

}  // namespace sluice::cli
