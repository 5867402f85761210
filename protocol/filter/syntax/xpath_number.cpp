#include "protocol/filter/syntax/xpath_number.hpp"

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
    if (text.empty() || static_cast<unsigned char>(text.front()) > '9') return nan;  // white space is below, too
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

    // Without a precision, these are the shortest digits that are read back as the number, and all those of an integer.
    std::array<char, 400> buffer;  // the smallest numbers have 343 characters
    const auto [end, error] =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::fixed);
    return std::string(buffer.data(), end);
}

}  // namespace sluice::filter
