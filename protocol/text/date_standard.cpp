#include "protocol/text/date_standard.hpp"

#include <cstdint>
#include <iterator>

#include "protocol/text/date_fields.hpp"
#include "protocol/text/date_scanner.hpp"

namespace sluice::text {

namespace {

constexpr std::string_view english_months[] = {"january", "february", "march",     "april",   "may",      "june",
                                               "july",    "august",   "september", "october", "november", "december"};
constexpr std::string_view english_weekdays[] = {"monday", "tuesday",  "wednesday", "thursday",
                                                 "friday", "saturday", "sunday"};

// Whether the word, in either case, begins the name.
bool is_short_for(std::string_view word, std::string_view name) {
    if (word.size() > name.size()) return false;
    std::size_t i = 0;
    while (i < word.size() && ascii_lower(word[i]) == name[i]) ++i;
    return i == word.size();
}

// The index of the name that the word is, or shortens to three letters or more; the array's size if there is none.
template <std::size_t n>
std::size_t find_name(const std::string_view (&names)[n], std::string_view word) {
    std::size_t i = 0;
    while (i < n && (word.size() < 3 || !is_short_for(word, names[i]))) ++i;
    return i;
}

// Reads a date from left to right. A member function that returns false may have moved the position.
class StandardDate : DateScanner {
public:
    using DateScanner::DateScanner;

    std::optional<double> iso();
    std::optional<double> rfc822();

private:
    bool at_time() const { return at_digit() && (peek(1) == ':' || (at_digit(1) && peek(2) == ':')); }

    bool day() { return number(2, t_.day) > 0 && !at_digit(); }
    bool month();
    bool year();
    bool time();
    bool am_pm();
    bool zone();
    bool zone_name();
    bool zone_offset();
    bool zone_in_comment();

    bool day_month_year();
    bool month_day_year();
    std::optional<double> finish();

    DateFields t_;
    bool has_time_ = false, has_zone_ = false;
};

bool StandardDate::month() {
    const std::size_t index = find_name(english_months, ascii_word());
    take('.');
    t_.month = static_cast<unsigned>(index) + 1;
    return index < std::size(english_months);
}

// RFC 2822 §4.3: years of three digits count from 1900.
bool StandardDate::year() {
    unsigned value = 0;
    const std::size_t digits = number(4, value);
    t_.year = digits == 2 ? full_year(value) : static_cast<int>(digits == 4 ? value : value + 1900);
    return digits >= 2 && !at_digit();
}

bool StandardDate::time() {
    has_time_ = true;
    if (number(2, t_.hour) == 0 || !take(':') || !two_digits(t_.minute)) return false;
    if (take(':')) {
        unsigned seconds = 0;
        if (!two_digits(seconds)) return false;
        t_.second = seconds;
        fraction(t_.second);
    }
    return !at_digit();
}

// Also returns true if neither "am" nor "pm" follows.
bool StandardDate::am_pm() {
    const std::size_t begin = at_;
    skip_space();
    const std::string_view half = ascii_word();
    const bool is_pm = is_short_for(half, "pm");
    if (half.size() != 2 || (!is_pm && !is_short_for(half, "am"))) return at_ = begin, true;
    if (t_.hour < 1 || t_.hour > 12) return false;
    t_.hour = t_.hour % 12 + (is_pm ? 12 : 0);
    return true;
}

bool StandardDate::zone() {
    if (peek() == '+' || peek() == '-') return has_zone_ = zone_offset();
    return !is_ascii_letter(peek()) || (has_zone_ = zone_name());
}

bool StandardDate::zone_in_comment() {
    if (has_zone_ || zone_comment().empty()) return true;
    const std::optional<Zone> known = find_zone(zone_comment());
    if (known) t_.zone = *known;
    return known.has_value();
}

// "PST", "GMT+2"
bool StandardDate::zone_name() {
    const std::optional<Zone> known = find_zone(ascii_word());
    if (!known) return false;
    t_.zone = *known;
    if (peek() != '+' && peek() != '-') return true;
    return known->seconds == 0 && zone_offset();
}

// +0200, +02:00, +02, +2; after a date without a time, only with minutes
bool StandardDate::zone_offset() {
    const int sign = peek() == '-' ? -1 : 1;
    ++at_;
    unsigned hours = 0, minutes = 0;
    const std::size_t digits = number(2, hours);
    const bool has_minutes = take(':') || at_digit();
    if (digits == 0 || (has_minutes ? !two_digits(minutes) : !has_time_) || minutes > 59) return false;
    t_.zone = {sign * static_cast<int>(hours * 60 + minutes) * 60};
    return !at_digit();
}

std::optional<double> StandardDate::iso() {
    if (!year()) return std::nullopt;
    bool has_day = false;
    if (take('-') && (!two_digits(t_.month) || ((has_day = take('-')) && !two_digits(t_.day)))) return std::nullopt;
    const bool needs_time = take('t');
    if (!needs_time) skip_space();
    if ((needs_time || at_digit()) && (!has_day || !time())) return std::nullopt;
    return finish();
}

std::optional<double> StandardDate::rfc822() {
    skip_space();
    if (const std::size_t begin = at_; find_name(english_weekdays, ascii_word()) == std::size(english_weekdays))
        at_ = begin;
    take('.');
    skip_space();
    if (!(at_digit() ? day_month_year() : month_day_year())) return std::nullopt;
    return finish();
}

// "16 Oct 2017 15:10:00", "16-Oct-17"
bool StandardDate::day_month_year() {
    const auto separator = [&] {
        if (!take('-')) skip_space();
    };
    if (!day()) return false;
    separator();
    if (!month()) return false;
    separator();
    if (!year()) return false;
    skip_space();
    return !at_time() || (time() && am_pm());
}

// "October 16, 2017 15:10", and date(1)'s "Oct 16 15:10:00 EDT 2017"
bool StandardDate::month_day_year() {
    if (!month()) return false;
    skip_space();
    if (!day()) return false;
    skip_space();
    if (!at_time()) {
        if (!year()) return false;
        skip_space();
        return !at_time() || (time() && am_pm());
    }
    if (!time() || !am_pm()) return false;
    skip_space();
    if (!zone()) return false;
    skip_space();
    return year();
}

// The text must end here, but for a zone.
std::optional<double> StandardDate::finish() {
    skip_space();
    if (!zone()) return std::nullopt;
    skip_space();
    return at_end() && zone_in_comment() ? to_seconds(t_) : std::nullopt;
}

}  // namespace

std::optional<double> parse_standard_date(std::string_view text) {
    std::size_t digits = 0;
    while (digits < text.size() && is_ascii_digit(text[digits])) ++digits;
    const bool is_iso = digits == 4 && (text.size() == 4 || text[4] == '-');
    return is_iso ? StandardDate(text).iso() : StandardDate(text).rfc822();
}

}  // namespace sluice::text
