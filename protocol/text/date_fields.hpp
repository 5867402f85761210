// The fields of a date, and the moment that they denote. Pure functions; any thread.
#pragma once

#include <optional>
#include <string_view>

#include "protocol/text/date_zones.hpp"

namespace sluice::text {

struct DateFields {
    int year = 1970;
    unsigned month = 1, day = 1;
    unsigned hour = 0, minute = 0;
    double second = 0;
    Zone zone;
};

// RFC 2822 §4.3: years of two digits are 1950 to 2049.
constexpr int full_year(unsigned two_digits) {
    return static_cast<int>(two_digits < 50 ? two_digits + 2000 : two_digits + 1900);
}

// Seconds since 1970. 24:00 is the end of the day, and a minute may have a leap second.
// nullopt: a day, time or offset that doesn't exist (offsets range from -12:00 to +14:00).
std::optional<double> to_seconds(const DateFields& fields);

}  // namespace sluice::text
