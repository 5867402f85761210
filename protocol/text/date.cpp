#include "protocol/text/date.hpp"

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iterator>

#include "protocol/text/ascii.hpp"

namespace sluice {

namespace {

struct DateTime {
    int year = 1970;
    unsigned month = 1, day = 1;
    unsigned hour = 0, minute = 0;
    double second = 0;
    int zone_minutes = 0;  // east of UTC
};

std::optional<double> to_seconds(const DateTime& t) {
    const std::chrono::year_month_day date(std::chrono::year(t.year), std::chrono::month(t.month),
                                           std::chrono::day(t.day));
    const bool is_end_of_day = t.hour == 24 && t.minute == 0 && t.second == 0;
    if (!date.ok() || (t.hour > 23 && !is_end_of_day) || t.minute > 59 || t.second >= 61) return std::nullopt;
    const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
    const std::int64_t minutes = days * 1440 + t.hour * 60 + t.minute - t.zone_minutes;
    return static_cast<double>(minutes * 60) + t.second;
}

struct Zone {
    std::string_view name;
    int minutes;
};

constexpr Zone zones[] = {
    {"ut", 0},     {"utc", 0},    {"gmt", 0},    {"est", -300}, {"edt", -240},  {"cst", -360},  {"cdt", -300},
    {"mst", -420}, {"mdt", -360}, {"pst", -480}, {"pdt", -420}, {"akst", -540}, {"akdt", -480}, {"hst", -600},
    {"west", 60},  {"bst", 60},   {"cet", 60},   {"cest", 120}, {"eet", 120},   {"eest", 180},  {"msk", 180},
    {"jst", 540},  {"aest", 600}, {"aedt", 660}, {"nzst", 720}, {"nzdt", 780},
};

constexpr std::string_view months[] = {"january", "february", "march",     "april",   "may",      "june",
                                       "july",    "august",   "september", "october", "november", "december"};
constexpr std::string_view weekdays[] = {"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"};

// The index of the only name that the word is, or is short for in three letters or more; the array's size if none.
template <std::size_t n>
std::size_t find_name(const std::string_view (&names)[n], std::string_view word) {
    std::size_t i = 0;
    while (i < n && (word.size() < 3 || !names[i].starts_with(word))) ++i;
    return i;
}

// Reads a date from left to right; a reader that returns false may have moved.
class DateReader {
public:
    explicit DateReader(std::string_view text) : text_(text) {}

    std::optional<double> iso();
    std::optional<double> rfc822();

private:
    char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
    bool at_digit() const { return is_ascii_digit(peek()); }
    bool take(char lower) { return ascii_lower(peek()) == lower && peek() != '\0' ? (++at_, true) : false; }
    bool at_time() const { return at_digit() && (peek(1) == ':' || (is_ascii_digit(peek(1)) && peek(2) == ':')); }
    void skip_space();  // and commas, and comments
    bool skip_comment();

    std::size_t number(std::size_t digits_max, unsigned& value);  // gives the number of digits
    bool two_digits(unsigned& value) { return number(2, value) == 2; }
    std::string word();

    bool day() { return number(2, t_.day) > 0 && !at_digit(); }
    bool month();
    bool year();
    bool time();
    void fraction();
    bool am_pm();
    bool zone();
    bool zone_name();
    bool zone_offset();

    bool day_month_year();
    bool month_day_year();
    std::optional<double> finish();

    std::string_view text_;
    std::size_t at_ = 0;
    DateTime t_;
};

bool DateReader::skip_comment() {
    std::size_t depth = 0;
    for (std::size_t end = at_; end < text_.size(); ++end) {
        if (text_[end] == '(') ++depth;
        if (text_[end] == ')' && --depth == 0) return at_ = end + 1, true;
    }
    return false;
}

void DateReader::skip_space() {
    while (true) {
        if (ascii_space.find(peek()) != std::string_view::npos || peek() == ',') {
            ++at_;
        } else if (peek() != '(' || !skip_comment()) {
            return;
        }
    }
}

std::size_t DateReader::number(std::size_t digits_max, unsigned& value) {
    const std::size_t begin = at_;
    for (value = 0; at_digit() && at_ - begin < digits_max; ++at_) {
        value = value * 10 + static_cast<unsigned>(peek() - '0');
    }
    return at_ - begin;
}

std::string DateReader::word() {
    const std::size_t begin = at_;
    while (is_ascii_letter(peek())) ++at_;
    return ascii_lower(text_.substr(begin, at_ - begin));
}

bool DateReader::month() {
    const std::size_t index = find_name(months, word());
    take('.');
    t_.month = static_cast<unsigned>(index) + 1;
    return index < std::size(months);
}

// RFC 2822 §4.3: 00 to 49 are in this century, other years of two or three digits count from 1900.
bool DateReader::year() {
    unsigned value = 0;
    const std::size_t digits = number(4, value);
    if (digits == 2 && value < 50) value += 100;
    t_.year = static_cast<int>(digits == 4 ? value : value + 1900);
    return digits >= 2 && !at_digit();
}

bool DateReader::time() {
    if (number(2, t_.hour) == 0 || !take(':') || !two_digits(t_.minute)) return false;
    if (take(':')) {
        unsigned seconds = 0;
        if (!two_digits(seconds)) return false;
        t_.second = seconds;
        if (peek() == '.' || peek() == ',') fraction();
    }
    return !at_digit();
}

void DateReader::fraction() {
    if (!is_ascii_digit(peek(1))) return;
    ++at_;
    for (double scale = 0.1; at_digit(); scale /= 10, ++at_) t_.second += scale * (peek() - '0');
}

// True if there is nothing of the kind, too.
bool DateReader::am_pm() {
    const std::size_t begin = at_;
    skip_space();
    const std::string half = word();
    if (half != "am" && half != "pm") return at_ = begin, true;
    if (t_.hour < 1 || t_.hour > 12) return false;
    t_.hour = t_.hour % 12 + (half == "pm" ? 12 : 0);
    return true;
}

bool DateReader::zone() {
    if (peek() == '+' || peek() == '-') return zone_offset();
    return !is_ascii_letter(peek()) || zone_name();
}

bool DateReader::zone_name() {
    const std::string name = word();
    for (const Zone& known : zones) {
        if (name != known.name) continue;
        t_.zone_minutes = known.minutes;
        return (peek() != '+' && peek() != '-') || zone_offset();
    }
    return name.size() == 1 || (name.size() >= 3 && name.size() <= 5);
}

// +0200  +02:00  +02  +2
bool DateReader::zone_offset() {
    const int sign = peek() == '-' ? -1 : 1;
    ++at_;
    unsigned hours = 0, minutes = 0;
    const std::size_t digits = number(2, hours);
    take(':');
    if (digits == 0 || (at_digit() && !two_digits(minutes)) || hours > 24 || minutes > 59) return false;
    t_.zone_minutes += sign * static_cast<int>(hours * 60 + minutes);
    return !at_digit();
}

std::optional<double> DateReader::iso() {
    if (!year()) return std::nullopt;
    if (take('-') && (!two_digits(t_.month) || (take('-') && !two_digits(t_.day)))) return std::nullopt;
    const bool needs_time = take('t');
    if (!needs_time) skip_space();
    if ((needs_time || at_digit()) && !time()) return std::nullopt;
    return finish();
}

std::optional<double> DateReader::rfc822() {
    skip_space();
    if (const std::size_t begin = at_; find_name(weekdays, word()) == std::size(weekdays)) at_ = begin;
    take('.');
    skip_space();
    if (!(at_digit() ? day_month_year() : month_day_year())) return std::nullopt;
    return finish();
}

// "16 Oct 2017 15:10:00", "16-Oct-17"
bool DateReader::day_month_year() {
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
bool DateReader::month_day_year() {
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

// A zone, and nothing more.
std::optional<double> DateReader::finish() {
    skip_space();
    if (!zone()) return std::nullopt;
    skip_space();
    if (at_ != text_.size()) return std::nullopt;
    return to_seconds(t_);
}

}  // namespace

std::optional<double> parse_date(std::string_view text) {
    text = trim(text);
    std::size_t digits = 0;
    while (digits < text.size() && is_ascii_digit(text[digits])) ++digits;
    const bool is_iso = digits == 4 && (text.size() == 4 || text[4] == '-');
    return is_iso ? DateReader(text).iso() : DateReader(text).rfc822();
}

std::string format_rfc3339(double seconds) {
    constexpr double year_0 = -62167219200, year_10000 = 253402300800;
    if (!(seconds >= year_0 && seconds < year_10000)) return {};
    using namespace std::chrono;
    const auto time = sys_time<microseconds>(microseconds(static_cast<std::int64_t>(std::floor(seconds * 1e6 + 0.5))));
    const auto day = floor<days>(time);
    const year_month_day date(day);
    const hh_mm_ss clock(time - day);
    char text[40];
    std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d.%06d", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                  static_cast<int>(clock.seconds().count()), static_cast<int>(clock.subseconds().count()));
    std::string result(text);
    result.erase(result.find_last_not_of('0') + 1);
    if (result.back() == '.') result.pop_back();
    return result + 'Z';
}

}  // namespace sluice
