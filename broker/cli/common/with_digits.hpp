// Numbers for people. Pure functions; any thread.
#pragma once

#include <cstdio>
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

}  // namespace sluice::cli
