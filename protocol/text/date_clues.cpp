#include "protocol/text/date_clues.hpp"

namespace sluice::text {

void DateClues::add_number(unsigned value, std::size_t digits, char separator) {
    if (parts_.count > 0) {
        parts_.is_joined = parts_.is_joined && separator != 0;
        parts_.is_dotted = parts_.is_dotted && separator == '.';
    }
    parts_.add(value, digits);
}

bool DateClues::add_name(unsigned month, unsigned weekday) {
    const bool may_be_both = month != 0 && weekday != 0;
    if (may_be_both && parts_.month == 0 && month_or_tuesday_ == 0) {
        month_or_tuesday_ = month;
        return true;
    }
    const bool is_month = month != 0 && parts_.month == 0;
    unsigned& name = is_month ? parts_.month : parts_.weekday;
    if (name != 0 || (!is_month && weekday == 0)) return false;
    name = is_month ? month : weekday;
    return true;
}

bool DateClues::has_day() const {
    if (parts_.count == 3 || (parts_.month != 0 && parts_.count == 2)) return true;
    if (parts_.count != 2) return false;
    const bool has_year = parts_.numbers[0].digits == 4 || parts_.numbers[1].digits == 4;
    return has_year && (month_or_tuesday_ != 0 || parts_.numbers[1].digits == 3);
}

// Midnight may be followed by the time: "2006-01-02 00:00:00.0 15:04:05.0".
bool DateClues::set_time(unsigned hour, unsigned minute, double second) {
    const bool is_midnight = fields_.hour == 0 && fields_.minute == 0 && fields_.second == 0 && !offset_;
    if ((has_time_ && !is_midnight) || lone_hour_) return false;
    fields_.hour = hour;
    fields_.minute = minute;
    fields_.second = second;
    return has_time_ = true;
}

bool DateClues::set_half(bool is_pm) {
    if (is_pm_) return false;
    is_pm_ = is_pm;
    return true;
}

bool DateClues::add_spare_number(unsigned value, std::size_t digits) {
    if (has_time_) return value == 0 && digits % 2 == 0 && !offset_ && set_offset(0, true);
    if (lone_hour_ || digits > 2) return false;
    lone_hour_ = value;
    return true;
}

// Go prints a zone without a name by repeating the offset: "-0300 -03". "Etc/GMT+5" is west of UTC, and is refused.
bool DateClues::set_offset(int seconds, bool has_minutes) {
    if (zone_.find('/') != zone_.npos) return false;
    if (offset_) return *offset_ == seconds;
    offset_ = seconds;
    has_offset_minutes_ = has_minutes;
    is_zone_before_offset_ = !zone_.empty();
    return true;
}

bool DateClues::set_zone(std::string_view name) {
    constexpr std::size_t name_bytes_max = 5;
    if (!zone_.empty() || !(has_time_ || has_day())) return false;
    zone_ = name;
    if (find_zone(name)) return true;
    return name.size() <= name_bytes_max && name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == name.npos;
}

std::optional<double> DateClues::settle() {
    if (!settle_month() || !settle_time()) return std::nullopt;
    const std::optional<Day> day = find_day(parts_);
    if (!day || (day->is_month && has_time_) || !settle_zone()) return std::nullopt;
    fields_.year = static_cast<int>(day->date.year());
    fields_.month = static_cast<unsigned>(day->date.month());
    fields_.day = static_cast<unsigned>(day->date.day());
    return to_seconds(fields_);
}

bool DateClues::settle_month() {
    constexpr unsigned tuesday = 2;
    if (month_or_tuesday_ == 0) return true;
    const bool is_tuesday = parts_.month != 0 || parts_.count == 3;
    return is_tuesday ? add_name(0, tuesday) : add_name(month_or_tuesday_, 0);
}

bool DateClues::settle_time() {
    if (lone_hour_) {
        if (!is_pm_ && !offset_) return false;
        fields_.hour = *lone_hour_;
        has_time_ = true;
    }
    if (!is_pm_) return true;
    if (!has_time_ || fields_.hour < 1 || fields_.hour > 12) return false;
    fields_.hour = fields_.hour % 12 + (*is_pm_ ? 12 : 0);
    return true;
}

// An offset counts, whatever name follows it. A name before it must not stand for another offset but UTC ("EST+5").
bool DateClues::settle_zone() {
    constexpr int korea = 9 * 3600;
    const std::optional<Zone> zone = find_zone(zone_);
    if (!offset_) {
        fields_.zone = zone.value_or(Zone{is_korean_ ? korea : 0});
        return zone || zone_.empty();
    }
    fields_.zone = {*offset_};
    const bool is_other_zone = zone && zone->change == ClockChange::never && zone->seconds != *offset_;
    return (has_time_ || has_offset_minutes_) && !(is_other_zone && is_zone_before_offset_ && zone->seconds != 0);
}

}  // namespace sluice::text
