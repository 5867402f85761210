// Dates as feeds write them. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::text {

// Seconds since 1970 in UTC. nullopt: a text with two meanings, with none, or longer than 100 bytes after trimming; a
// day, a time or an offset that doesn't exist. A wrong time is worse than none.
//
// Styles of the day:
// - "Mon, 16 Oct 2017", "16-Oct-17", "October 16th, 2017", "2017 October 16", "16. Oktober 2017", "Oct 2017": RFC 822
//   and RFC 2822 as people write them. Months and weekdays are in English, French, German, Spanish, Italian,
//   Portuguese, Dutch or Greek (months in Hungarian, too), in full or cut to three letters, with or without accents;
// - "2017-10-16", "2017-10", "2017", "20171016", "2017-289", "2017-W42-1": RFC 3339 and ISO 8601; "2017/10/16",
//   "2017-1-2", "2017.10.16". A month or a year stands for its first second, and has no time;
// - "16.10.2017", "16.10.17": with dots the day comes first. "26/06/2020", "03/30/2020", "10/30/23", "06-13-2017": read
//   if only one order gives a date, or the weekday is that of only one ("Sat, 11/04/2020"), otherwise not
//   ("01/02/2006", "06/01/02");
// - "2017년 10월 16일": Korean. Without a zone such a time is Korea's;
// - "1508166600", "1508166600000": Unix time of nine or ten digits in seconds, of thirteen in milliseconds.
// Years of two digits are 1950 to 2049. A date without a year is none. A weekday that contradicts the date is ignored.
//
// Styles of the time, before or after the day: "15:10:00.5", "15:10", "15:1:2", "3:10 pm", "3:10 p.m.", "at 15:10",
// "15h10", "24:00"; "T15", "T1510" and "T151000" after an ISO day; "15 +0200". Without a time it is midnight.
//
// Styles of the zone: "+0200", "+02:00", "+2", "-700", "--0700", ":-0700", "-07:00:00"; "Z", "PST", "CEST", "GMT+2";
// "ET" and "Europe/Brussels", by the rules of date_zones.hpp. Beside an offset a name means nothing ("-0700 MST"), but
// a name before it must not be that of another offset ("EST+5"). Without a zone the time is in UTC. With a name that
// isn't known, and in an hour that clocks skip or repeat, there is no date: RFC 2822 would have it in UTC, hours off.
//
// Comments in parentheses are skipped.
std::optional<double> parse_date(std::string_view text);

// Writes "2017-10-16T15:10:00Z", with as much of a fraction as there is, to microseconds. Returns how many bytes of
// rfc3339_bytes it takes: 0 for NaN and for years that do not have four digits.
inline constexpr std::size_t rfc3339_bytes = 27;
std::size_t write_rfc3339(char* to, double seconds);
std::string format_rfc3339(double seconds);

// Writes "2017-10-16T15:10:00.000000Z", always rfc3339_bytes with microseconds, so that the texts sort as the times do.
// The year must have four digits.
void write_rfc3339_us(char* to, std::int64_t microseconds_since_1970);

}  // namespace sluice::text
