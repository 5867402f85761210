#include "protocol/text/date.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "protocol/text/ascii.hpp"
#include "protocol/text/date_fixed.hpp"
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

// "00" to "99"
constexpr auto digit_pairs = [] {
    std::array<char, 200> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<char>('0' + (i % 2 == 0 ? i / 20 : i / 2 % 10));
    return all;
}();

void write_two_digits(char* to, std::uint32_t number) { std::memcpy(to, &digit_pairs[2 * number], 2); }

}  // namespace

std::optional<double> parse_date(std::string_view text) {
    text = trim(text);
    if (text.size() > date_bytes_max) return std::nullopt;
    if (const std::optional<double> time = parse_fixed_date(text)) return time;
    if (const std::optional<double> time = parse_standard_date(text)) return time;
    if (const std::optional<double> time = parse_unix_time(text)) return time;
    return may_be_date(text) ? parse_loose_date(text) : std::nullopt;
}

std::size_t write_rfc3339(char* to, double seconds) {
    constexpr double year_0 = -62167219200, year_10000 = 253402300800;
    if (!(seconds >= year_0 && seconds < year_10000)) return 0;
    write_rfc3339_us(to, static_cast<std::int64_t>(std::floor(seconds * 1e6 + 0.5)));
    std::size_t size = rfc3339_bytes - 1;
    while (to[size - 1] == '0') --size;
    if (to[size - 1] == '.') --size;
    to[size] = 'Z';
    return size + 1;
}

void write_rfc3339_us(char* to, std::int64_t microseconds_since_1970) {
    using namespace std::chrono;
    const auto time = sys_time<microseconds>(microseconds(microseconds_since_1970));
    const auto day = floor<days>(time);
    const year_month_day date(day);
    const auto since_midnight = static_cast<std::uint64_t>((time - day).count());
    const auto second = static_cast<std::uint32_t>(since_midnight / 1'000'000);
    const auto fraction = static_cast<std::uint32_t>(since_midnight % 1'000'000);
    const auto year = static_cast<std::uint32_t>(int{date.year()});
    std::memcpy(to, "0000-00-00T00:00:00.000000Z", rfc3339_bytes);
    write_two_digits(to, year / 100 % 100);
    write_two_digits(to + 2, year % 100);
    write_two_digits(to + 5, unsigned{date.month()});
    write_two_digits(to + 8, unsigned{date.day()});
    write_two_digits(to + 11, second / 3600);
    write_two_digits(to + 14, second / 60 % 60);
    write_two_digits(to + 17, second % 60);
    write_two_digits(to + 20, fraction / 10'000);
    write_two_digits(to + 22, fraction / 100 % 100);
    write_two_digits(to + 24, fraction % 100);
}

std::string format_rfc3339(double seconds) {
    char text[rfc3339_bytes];
    return {text, write_rfc3339(text, seconds)};
}

}  // namespace sluice::text
