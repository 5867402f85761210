#include "protocol/text/date.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "protocol/text/ascii.hpp"
#include "protocol/text/date_loose.hpp"
#include "protocol/text/date_standard.hpp"

namespace sluice::text {

namespace {

constexpr std::size_t date_bytes_max = 100;

// Nine and ten digits are seconds from 1973 to 2286, thirteen milliseconds. Others can be other dates.
std::optional<double> parse_unix_time(std::string_view text) {
    if (text.size() != 9 && text.size() != 10 && text.size() != 13) return std::nullopt;
    double value = 0;
    for (const char c : text) {
        if (!is_ascii_digit(c)) return std::nullopt;
        value = value * 10 + (c - '0');
    }
    return text.size() == 13 ? value / 1000 : value;
}

// The shortest date is "1 Jan 06". Most texts that are no dates show it here.
bool may_be_date(std::string_view text) {
    constexpr std::ptrdiff_t digits_min = 3;
    return std::count_if(text.begin(), text.end(), is_ascii_digit) >= digits_min;
}

// The last `digits` digits of a number, which is not negative.
void write_digits(std::string& text, std::size_t at, std::size_t digits, std::int64_t number) {
    for (std::size_t i = at + digits; i-- > at; number /= 10) text[i] = static_cast<char>('0' + number % 10);
}

}  // namespace

std::optional<double> parse_date(std::string_view text) {
    text = trim(text);
    if (text.size() > date_bytes_max) return std::nullopt;
    if (const std::optional<double> time = parse_standard_date(text)) return time;
    if (const std::optional<double> time = parse_unix_time(text)) return time;
    return may_be_date(text) ? parse_loose_date(text) : std::nullopt;
}

std::string format_rfc3339(double seconds) {
    constexpr double year_0 = -62167219200, year_10000 = 253402300800;
    if (!(seconds >= year_0 && seconds < year_10000)) return {};
    std::string text = format_rfc3339_us(static_cast<std::int64_t>(std::floor(seconds * 1e6 + 0.5)));
    while (text.back() == 'Z' || text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
    text += 'Z';
    return text;
}

std::string format_rfc3339_us(std::int64_t microseconds_since_1970) {
    using namespace std::chrono;
    const auto time = sys_time<microseconds>(microseconds(microseconds_since_1970));
    const auto day = floor<days>(time);
    const year_month_day date(day);
    const hh_mm_ss clock(time - day);
    std::string text = "0000-00-00T00:00:00.000000Z";
    write_digits(text, 0, 4, int{date.year()});
    write_digits(text, 5, 2, unsigned{date.month()});
    write_digits(text, 8, 2, unsigned{date.day()});
    write_digits(text, 11, 2, clock.hours().count());
    write_digits(text, 14, 2, clock.minutes().count());
    write_digits(text, 17, 2, clock.seconds().count());
    write_digits(text, 20, 6, clock.subseconds().count());
    return text;
}

}  // namespace sluice::text
