#include "protocol/text/date_loose.hpp"

#include <string>

#include "protocol/text/date_clues.hpp"
#include "protocol/text/date_names.hpp"
#include "protocol/text/date_scanner.hpp"

namespace sluice::text {

namespace {

constexpr std::size_t word_bytes_max = 24;  // the longest month names are Greek

constexpr bool is_letter(char c) { return is_ascii_letter(c) || static_cast<unsigned char>(c) >= 0x80; }

// The length of the non-ASCII blank, or of the dash that counts as one, at the beginning of the text; 0 if there is
// none.
std::size_t wide_blank(std::string_view text) {
    for (const std::string_view blank : {"\u00A0", "\u2009", "\u202F", "\u2013"}) {
        if (text.starts_with(blank)) return blank.size();
    }
    return 0;
}

// Small words beside a day or before a time.
bool is_particle(std::string_view folded) {
    constexpr std::string_view particles[] = {"at", "um", "om", "as", "a",     "las", "alle", "ore",
                                              "le", "de", "of", "on", "feira", "the", "del"};
    for (const std::string_view particle : particles) {
        if (folded == particle) return true;
    }
    return false;
}

// Splits the text into clues. A member function that returns false has found what no date has, unless it says
// otherwise.
class LooseDate : DateScanner {
public:
    using DateScanner::DateScanner;

    std::optional<double> read();

private:
    void skip_blanks();
    bool token();

    bool numeric();
    bool is_time_ahead(std::size_t digits) const;
    bool date_number(std::size_t digits);
    bool compact_date(std::size_t digits);
    bool compact_time(std::size_t digits);
    bool week_date();
    void ordinal_suffix();
    void separator();
    bool clock();
    bool sign();
    bool offset(int sign);

    bool word();
    bool half_of_day(std::string_view folded);
    bool name(std::string_view folded);
    bool zone(std::size_t begin);

    DateClues clues_;
    char separator_ = 0;         // before the next number
    bool is_time_next_ = false;  // after a T
};

std::optional<double> LooseDate::read() {
    for (skip_blanks(); !at_end(); skip_blanks()) {
        if (!token()) return std::nullopt;
    }
    const std::string_view zone = zone_comment();
    if (is_time_next_ || (!zone.empty() && !clues_.has_zone() && !clues_.set_zone(zone))) return std::nullopt;
    return clues_.settle();
}

void LooseDate::skip_blanks() {
    std::size_t wide = 0;
    do {
        skip_space();
        wide = wide_blank(rest());
        at_ += wide;
    } while (wide > 0);
}

bool LooseDate::token() {
    if (at_digit()) return numeric();
    if (peek() == '+' || peek() == '-') return sign();
    return is_letter(peek()) && word();
}

bool LooseDate::numeric() {
    std::size_t digits = 1;
    while (at_digit(digits)) ++digits;
    if (is_time_next_ && digits % 2 == 0 && digits <= 6 && peek(digits) != ':') return compact_time(digits);
    if (is_time_next_ || is_time_ahead(digits)) return clock();
    if (clues_.has_day()) {
        unsigned value = 0;
        return number(4, value) == digits && clues_.add_spare_number(value, digits);
    }
    if (digits > 4) return compact_date(digits);
    return week_date() || date_number(digits);
}

// 15:04, and 15h04
bool LooseDate::is_time_ahead(std::size_t digits) const {
    return digits <= 2 && (peek(digits) == ':' || (ascii_lower(peek(digits)) == 'h' && at_digit(digits + 1)));
}

bool LooseDate::date_number(std::size_t digits) {
    unsigned value = 0;
    number(digits, value);
    // A month of three digits: 2003-012-31
    const bool is_long_month = digits == 3 && value <= 12 && clues_.numbers() == 1 && peek() == '-' && at_digit(1) &&
                               at_digit(2) && !at_digit(3) && peek(3) != ':';
    clues_.add_number(value, is_long_month ? 2 : digits, separator_);
    ordinal_suffix();
    separator();
    return true;
}

// 20031231, 2003365 and 20031231101112
bool LooseDate::compact_date(std::size_t digits) {
    if (clues_.numbers() > 0 || (digits != 7 && digits != 8 && digits != 14)) return false;
    unsigned value = 0;
    number(4, value);
    clues_.add_number(value, 4, 0);
    if (digits == 7) {
        number(3, value);
        clues_.add_number(value, 3, '-');
        return true;
    }
    for (int i = 0; i < 2; ++i) {
        number(2, value);
        clues_.add_number(value, 2, '-');
    }
    return digits == 8 || compact_time(6);
}

// 10, 1011 and 101112 after a T
bool LooseDate::compact_time(std::size_t digits) {
    unsigned hour = 0, minute = 0, whole_second = 0;
    number(2, hour);
    if (digits > 2) number(2, minute);
    if (digits > 4) number(2, whole_second);
    double second = whole_second;
    if (digits > 4) fraction(second);
    is_time_next_ = false;
    return clues_.set_time(hour, minute, second);
}

// ISO 8601's 2003-W52-3, 2003W523 and 2003-W52. If it returns false, nothing was read.
bool LooseDate::week_date() {
    using namespace std::chrono;
    const std::size_t begin = at_;
    unsigned year_number = 0, week = 0, day = 1;
    if (clues_.numbers() > 0 || number(4, year_number) != 4) return at_ = begin, false;
    const bool has_dashes = take('-');
    if (!take('w') || !two_digits(week)) return at_ = begin, false;
    if (!at_end() && ((has_dashes && !take('-')) || number(1, day) != 1)) return at_ = begin, false;
    const year y(static_cast<int>(year_number));
    const sys_days day_4 = y / January / 4;  // always in the first week
    const sys_days monday = day_4 - (weekday(day_4) - Monday) + weeks(static_cast<int>(week) - 1);
    const bool has_week = week > 0 && year_month_day(monday + days(3)).year() == y;
    if (!has_week || day < 1 || day > 7) return at_ = begin, false;
    const year_month_day date(monday + days(day - 1));
    clues_.add_number(static_cast<unsigned>(static_cast<int>(date.year())), 4, 0);
    clues_.add_number(static_cast<unsigned>(date.month()), 2, '-');
    clues_.add_number(static_cast<unsigned>(date.day()), 2, '-');
    return true;
}

// 16th, 1er, 1º, and the Korean 2004년 05월 28일
void LooseDate::ordinal_suffix() {
    for (const std::string_view suffix :
         {"st", "nd", "rd", "th", "er", "ST", "ND", "RD", "TH", "\u00BA", "\uB144", "\uC6D4", "\uC77C"}) {
        if (!rest().starts_with(suffix) || is_ascii_letter(peek(suffix.size()))) continue;
        at_ += suffix.size();
        if (suffix.size() == 3) clues_.set_korean();
        return;
    }
}

// The character that joins a number or a month's name to what follows: 16-Oct-17, 2006/01/02, 2.1.2006, "2. January".
void LooseDate::separator() {
    separator_ = 0;
    const bool is_joined = at_digit(1) || is_letter(peek(1));
    if (peek() != '.' && (clues_.has_day() || !is_joined || (peek() != '-' && peek() != '/'))) return;
    separator_ = peek();
    ++at_;
}

// 15:04:05.6, 15:4:5, and what sometimes follows: "15:04:05:-0700", "15:04:05:00"
bool LooseDate::clock() {
    unsigned hour = 0, minute = 0, whole_second = 0;
    if (number(2, hour) == 0 || !(take(':') || take('h')) || number(2, minute) == 0) return false;
    if (peek() == ':' && at_digit(1)) {
        ++at_;
        number(2, whole_second);
    }
    double second = whole_second;
    fraction(second);
    is_time_next_ = false;
    if (peek() == ':' && (peek(1) == '+' || peek(1) == '-')) ++at_;
    take(":00");
    return !at_digit() && peek() != ':' && clues_.set_time(hour, minute, second);
}

// An offset, or a dash between words.
bool LooseDate::sign() {
    const char sign = peek();
    ++at_;
    if (!at_digit() && peek() != sign) return sign == '-' && !at_end();
    take(sign);  // --0700
    return (clues_.has_time() || clues_.has_day()) && offset(sign == '-' ? -1 : 1);
}

// 7, 07, 700, 0700, 07:00, 07:00:00
bool LooseDate::offset(int sign) {
    unsigned hour = 0, minute = 0, second = 0;
    std::size_t digits = 0;
    while (at_digit(digits)) ++digits;
    if (digits == 0 || digits > 4) return false;
    number(digits < 3 ? digits : digits - 2, hour);
    const bool has_colon = digits < 3 && take(':'), has_minutes = has_colon || digits > 2;
    if (has_minutes && !two_digits(minute)) return false;
    if (has_colon && take(':') && !two_digits(second)) return false;
    if (at_digit() || minute > 59 || second > 59) return false;
    return clues_.set_offset(sign * static_cast<int>(hour * 3600 + minute * 60 + second), has_minutes);
}

bool LooseDate::word() {
    const std::size_t begin = at_;
    while (is_letter(peek()) && wide_blank(rest()) == 0) ++at_;
    if (at_ - begin > word_bytes_max) return false;
    const std::string folded = fold_word(text_.substr(begin, at_ - begin));
    if (folded == "t" && at_digit() && clues_.has_day() && !clues_.has_time()) return is_time_next_ = true;
    if (half_of_day(folded)) return true;
    if (folded == "uhr") return clues_.has_time();
    if (is_particle(folded) && !clues_.has_time()) return !at_end();
    return name(folded) || zone(begin);
}

// "pm", "p.m.", "p. m.", and the Korean words. If it returns false, nothing was read.
bool LooseDate::half_of_day(std::string_view folded) {
    constexpr std::string_view morning = "\uC624\uC804", afternoon = "\uC624\uD6C4";
    if (folded == morning || folded == afternoon) {
        clues_.set_korean();
        return clues_.set_half(folded == afternoon);
    }
    const std::size_t begin = at_;
    if (folded == "a" || folded == "p") {
        const bool has_m = take('.') && (skip_blanks(), take('m')) && !is_letter(peek());
        if (!has_m) return at_ = begin, false;
    } else if (folded != "am" && folded != "pm") {
        return false;
    }
    take('.');
    return clues_.set_half(folded[0] == 'p') || (at_ = begin, false);
}

// If it returns false, nothing was read.
bool LooseDate::name(std::string_view folded) {
    const unsigned month = find_month(folded), weekday = find_weekday(folded);
    if ((month == 0 && weekday == 0) || !clues_.add_name(month, weekday)) return false;
    separator();
    return true;
}

// Letters, also in names such as "America/Los_Angeles" and "Etc/GMT".
bool LooseDate::zone(std::size_t begin) {
    while (is_ascii_letter(peek()) || ((peek() == '/' || peek() == '_') && is_ascii_letter(peek(1)))) ++at_;
    return clues_.set_zone(text_.substr(begin, at_ - begin));
}

}  // namespace

std::optional<double> parse_loose_date(std::string_view text) { return LooseDate(text).read(); }

}  // namespace sluice::text
