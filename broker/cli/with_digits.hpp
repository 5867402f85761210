// Numbers for people. Pure function; any thread.
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

}  // namespace sluice::cli
