// Dates as feeds write them. Pure functions; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sluice {

// Seconds since 1970 in UTC, of
// - RFC 822 and RFC 2822, as people write them: "Mon, 16 Oct 2017 15:10:00 +0200" with or without weekday, seconds,
//   time, zone; years of two digits; names of months and weekdays in full; "16-Oct-17"; "Oct 16, 2017 3:10 PM";
//   "Mon Oct 16 15:10:00 EDT 2017"; zones "+02:00", "GMT+2", "PST", "Z"; comments in parentheses;
// - RFC 3339 and ISO 8601: "2017-10-16T15:10:00.5Z" with or without seconds, fraction, zone; a blank for the T; a date,
//   month or year alone, which stand for their first second.
// Without a zone, with a military letter and with a zone's name that RFC 2822 does not know the time is in UTC.
// nullopt: anything else, or a day or an hour that does not exist.
std::optional<double> parse_date(std::string_view text);

// "2017-10-16T15:10:00Z", with as much of a fraction as there is, to microseconds. Empty for NaN and for years that do
// not have four digits.
std::string format_rfc3339(double seconds);

}  // namespace sluice
