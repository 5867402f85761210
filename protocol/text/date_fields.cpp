#include "protocol/text/date_fields.hpp"

#include <chrono>
#include <cstdint>

namespace sluice::text {

namespace {

using namespace std::chrono;

// For zones whose clocks change. Kept apart because few dates have one.
std::optional<int> changing_offset_seconds(const DateFields& t, sys_days date) {
    return offset_seconds(t.zone, date + hours(t.hour) + minutes(t.minute));
}

}  // namespace

std::optional<double> to_seconds(const DateFields& t) {
    constexpr int hour = 3600;
    const year_month_day date(year(t.year), month(t.month), day(t.day));
    const bool is_end_of_day = t.hour == 24 && t.minute == 0 && t.second == 0;
    if (!date.ok() || (t.hour > 23 && !is_end_of_day) || t.minute > 59 || t.second >= 61) return std::nullopt;
    int offset = t.zone.seconds;
    if (t.zone.change != ClockChange::never) {
        const std::optional<int> now = changing_offset_seconds(t, date);
        if (!now) return std::nullopt;
        offset = *now;
    }
    if (offset < -12 * hour || offset > 14 * hour) return std::nullopt;
    const std::int64_t minutes = sys_days(date).time_since_epoch().count() * 1440 + t.hour * 60 + t.minute;
    return static_cast<double>(minutes * 60 - offset) + t.second;
}

}  // namespace sluice::text
