#include "protocol/filter/xpath_number.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>

#include "protocol/text/ascii.hpp"

namespace sluice::filter {

namespace {

std::size_t count_digits(std::string_view text) {
    std::size_t n = 0;
    while (n < text.size() && text::is_ascii_digit(text[n])) ++n;
    return n;
}

}  // namespace

double xpath_number(std::string_view text) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    text = text::trim(text);
    const bool negative = text.starts_with('-');
    const std::string_view digits = text.substr(negative ? 1 : 0);

    const std::size_t integer = count_digits(digits);
    std::string_view rest = digits.substr(integer);
    std::size_t fraction = 0;
    if (rest.starts_with('.')) {
        fraction = count_digits(rest.substr(1));
        rest.remove_prefix(1 + fraction);
    }
    if (!rest.empty() || integer + fraction == 0) return nan;

    double value = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed);
    if (error == std::errc::result_out_of_range) {
        const bool huge = digits.substr(0, integer).find_first_not_of('0') != std::string_view::npos;
        value = huge ? std::numeric_limits<double>::infinity() : 0;
    }
    return negative ? -value : value;
}

std::string xpath_string(double number) {
    if (std::isnan(number)) return "NaN";
    if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
    if (number == 0) return "0";

    // d.ddddddddddddddde±xx; the digits are then laid out around the decimal point.
    constexpr int fraction_digits = std::numeric_limits<double>::digits10;
    std::array<char, 40> buffer;
    const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::fabs(number),
                                       std::chars_format::scientific, fraction_digits);
    const std::string_view scientific(buffer.data(), static_cast<std::size_t>(written.ptr - buffer.data()));
    const std::size_t e = scientific.find('e');
    std::string digits = std::string(scientific.substr(0, 1)) + std::string(scientific.substr(2, e - 2));
    digits.erase(digits.find_last_not_of('0') + 1);
    int exponent = 0;
    const std::size_t sign = scientific[e + 1] == '+' ? 1 : 0;
    std::from_chars(scientific.data() + e + 1 + sign, scientific.data() + scientific.size(), exponent);

    std::string text = number < 0 ? "-" : "";
    if (exponent < 0) return text + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
    const std::size_t integer_digits = static_cast<std::size_t>(exponent) + 1;
    if (digits.size() <= integer_digits) return text + digits + std::string(integer_digits - digits.size(), '0');
    return text + digits.substr(0, integer_digits) + "." + digits.substr(integer_digits);
}

}  // namespace sluice::filter
