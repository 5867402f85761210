// What a text has stated about a date so far, and the one moment that fits all of it. Pure values; any thread.
#pragma once

#include <optional>
#include <string_view>

#include "protocol/text/date_fields.hpp"
#include "protocol/text/date_order.hpp"

namespace sluice::text {

// A member function that returns false has found a contradiction: the text is not a date.
class DateClues {
public:
    // `separator`: the character between the previous number, if any, and this one: '-', '/', '.', or 0 for a blank.
    void add_number(unsigned value, std::size_t digits, char separator);
    // As returned by find_month() and find_weekday(). "mar" is both: a Tuesday if the month is given without it.
    bool add_name(unsigned month, unsigned weekday);
    bool set_time(unsigned hour, unsigned minute, double second);
    bool set_half(bool is_pm);
    // A number after the day: the hour ("2 Jan 2006 15 -0700"), or zeros for UTC without a sign ("15:04 00").
    bool add_spare_number(unsigned value, std::size_t digits);
    bool set_offset(int seconds, bool has_minutes);
    // An unknown name is accepted beside an offset.
    bool set_zone(std::string_view name);
    bool has_zone() const { return offset_ || !zone_.empty(); }
    void set_korean() { is_korean_ = true; }  // without a zone, the time is Korean

    // Whether day, month and year are known, so that what follows is none of them.
    bool has_day() const;
    bool has_time() const { return has_time_; }
    std::size_t numbers() const { return parts_.count; }

    std::optional<double> settle();

private:
    bool settle_month();
    bool settle_time();
    bool settle_zone();

    DateParts parts_;
    unsigned month_or_tuesday_ = 0;  // the month, if its name may mean Tuesday; else 0
    DateFields fields_;
    bool has_time_ = false;
    std::optional<unsigned> lone_hour_;
    std::optional<bool> is_pm_;
    std::optional<int> offset_;
    bool has_offset_minutes_ = false, is_zone_before_offset_ = false;
    std::string_view zone_;
    bool is_korean_ = false;
};

}  // namespace sluice::text
