// XPath 1.0's conversions between strings and numbers (§4.2, §4.4), in any locale.
// Pure functions; any thread.
#pragma once

#include <string>
#include <string_view>

namespace sluice::filter {

// number(text): optional white space around an optional '-' and digits with at most one '.'; NaN for anything else
// ("+1", "1e3", ""). Correctly rounded; infinite when too large.
double xpath_number(std::string_view text);

// string(number): an integer with all of its digits; else as many digits after the point as distinguish the number from
// all others. Never an exponent. "NaN", "Infinity", "-Infinity", and "0" for both zeros.
std::string xpath_string(double number);

}  // namespace sluice::filter
