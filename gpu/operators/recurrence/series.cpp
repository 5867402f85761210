#include "gpu/operators/recurrence/series.hpp"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace sluice::recurrence {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }
bool is_separator(char c) { return c == ',' || c == ';'; }

std::size_t skip_spaces(std::string_view text, std::size_t at) {
    while (at < text.size() && is_space(text[at])) ++at;
    return at;
}

// The text of the value at `at`, shortened for a message.
std::string quoted(std::string_view text, std::size_t at) {
    constexpr std::size_t shown_max = 32;
    std::size_t end = at;
    while (end < text.size() && !is_space(text[end]) && !is_separator(text[end])) ++end;
    const bool cut = end - at > shown_max;
    if (cut) {
        end = at + shown_max;
        while (end > at && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // not inside a character
    }
    return '"' + std::string(text.substr(at, end - at)) + (cut ? "…\"" : "\"");
}

// Reads digits with or without a point, as sensors write them. Whole numbers and powers of ten below 2^53 are exact
// doubles, so their quotient is the double nearest to the text (Clinger, PLDI 1990). Returns the end, or `begin` if the
// number has any other form.
const char* read_decimal(const char* begin, const char* end, double& value) {
    constexpr std::ptrdiff_t digits_max = 15;
    static constexpr double powers[digits_max + 1] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                      1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    const bool negative = begin < end && *begin == '-';
    const char* const first = begin + (negative ? 1 : 0);
    const char* at = first;
    std::uint64_t digits = 0;
    for (; at < end && is_digit(*at); ++at) digits = 10 * digits + static_cast<std::uint64_t>(*at - '0');
    const std::ptrdiff_t whole = at - first;
    std::ptrdiff_t fraction = 0;
    if (at < end && *at == '.') {
        const char* const point = at++;
        for (; at < end && is_digit(*at); ++at) digits = 10 * digits + static_cast<std::uint64_t>(*at - '0');
        fraction = at - point - 1;
    }
    const bool is_other = at < end && (*at == 'e' || *at == 'E');
    if (is_other || whole + fraction == 0 || whole + fraction > digits_max) return begin;
    value = static_cast<double>(digits) / powers[fraction];
    if (negative) value = -value;
    return at;
}

// Reads the number at text[at] and returns where it ends, or `at` if there is none. Infinite if too large.
std::size_t read_number(std::string_view text, std::size_t at, double& value) {
    const char* const end = text.data() + text.size();
    const char* begin = text.data() + at;
    if (*begin == '+' && begin + 1 < end && begin[1] != '-') ++begin;
    const char* const digits = begin < end && *begin == '-' ? begin + 1 : begin;
    if (digits == end || ((*digits < '0' || *digits > '9') && *digits != '.')) return at;  // nan, inf, words
    if (const char* const stop = read_decimal(begin, end, value); stop != begin)
        return static_cast<std::size_t>(stop - text.data());
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (error == std::errc::invalid_argument) return at;
    if (error == std::errc::result_out_of_range)  // too large, or so small that the nearest double is 0 or subnormal
        value = std::strtod(std::string(begin, stop).c_str(), nullptr);
    return static_cast<std::size_t>(stop - text.data());
}

// Calls take(value) for each value, and counts them.
template <class Take>
std::optional<SeriesError> read_series(std::string_view text, std::size_t points_max, std::size_t& count, Take take) {
    const auto fault = [&](std::size_t offset, const std::string& what) {
        return SeriesError{offset, "value " + std::to_string(count + 1) + what};
    };
    std::size_t at = skip_spaces(text, 0);
    while (at < text.size()) {
        if (is_separator(text[at])) return fault(at, " is missing");
        if (count == points_max) return SeriesError{at, "more than " + std::to_string(points_max) + " values"};
        double value = 0;
        const std::size_t end = read_number(text, at, value);
        if (end == at || (end < text.size() && !is_space(text[end]) && !is_separator(text[end])))
            return fault(at, " is not a number: " + quoted(text, at));
        if (!std::isfinite(value)) return fault(at, " is too large: " + quoted(text, at));
        take(value);
        ++count;
        at = skip_spaces(text, end);
        if (at < text.size() && is_separator(text[at])) at = skip_spaces(text, at + 1);
    }
    return std::nullopt;
}

}  // namespace

std::optional<SeriesError> parse_series(std::string_view text, std::vector<double>& values, std::size_t points_max) {
    values.clear();
    std::size_t count = 0;
    return read_series(text, points_max, count, [&](double value) { values.push_back(value); });
}

std::size_t count_values(std::string_view text) {
    std::size_t count = 0;
    return read_series(text, series_points_max, count, [](double) {}) ? 0 : count;
}

}  // namespace sluice::recurrence
