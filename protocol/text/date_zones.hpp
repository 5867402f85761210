// Time zones as dates name them, without a database. Pure functions; any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace sluice::text {

// When clocks are put forward by an hour:
// - america: from the second Sunday in March to the first in November since 2007, from the first Sunday in April to the
//   last in October since 1987, at 2:00;
// - europe: from the last Sunday in March to the last in October since 1996, at 1:00 UTC;
// - moscow: from 27 March 2011 to 26 October 2014, when "MSK" was UTC+4 all year round.
enum class ClockChange : std::uint8_t { never, america, europe, moscow };

struct Zone {
    int seconds = 0;  // east of UTC, when clocks aren't put forward
    ClockChange change = ClockChange::never;
};

// By abbreviation ("PST", "CEST"; "AT", "ET", "CT", "MT" and "PT" for the clock in use there) or by the database's name
// ("Europe/Brussels"), in either case. nullopt: the name is unknown, or stands for several zones ("IST"). RFC 822's
// single letters other than Z are unknown, too: it gives them the wrong sign, so nobody knows what a date means by
// them.
std::optional<Zone> find_zone(std::string_view name);

// Seconds east of UTC when clocks there show `local`. nullopt: they never show it, they show it twice, or the year
// precedes the rule.
std::optional<int> offset_seconds(Zone zone, std::chrono::sys_seconds local);

}  // namespace sluice::text
