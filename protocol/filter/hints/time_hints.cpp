#include "protocol/filter/hints/time_hints.hpp"

#include <cmath>
#include <cstdint>
#include <optional>

#include "protocol/filter/hints/hint_list.hpp"
#include "protocol/filter/syntax/spelling.hpp"
#include "protocol/filter/syntax/xpath_number.hpp"
#include "protocol/text/date.hpp"

namespace sluice::filter {

namespace {

using Kind = Expression::Kind;

constexpr const char* spellings = "write it as '2024-01-31' or '2024-01-31T10:00:00Z'";
constexpr double day = 86'400;

std::string day_of(double seconds) { return text::format_rfc3339(seconds).substr(0, 10); }

// $published = '2024-01-31'
std::string equal_to_day(const Expression& comparison, std::size_t time, const std::string& text, double seconds) {
    const bool equality = comparison.kind == Kind::equal || comparison.kind == Kind::not_equal;
    const bool midnight = std::fmod(seconds, day) == 0 && text.find(':') == std::string::npos;
    if (!equality || !midnight || day_of(seconds).empty()) return {};
    const std::string value = shown(comparison.operands[time]);
    const std::string whole =
        value + " >= '" + day_of(seconds) + "' and " + value + " < '" + day_of(seconds + day) + "'";
    return std::string(find_operator(comparison.kind)->text) + " compares with one instant, " +
           text::format_rfc3339(seconds) + "; the whole day is " + whole;
}

std::string text_as_time(const Expression& comparison, std::size_t time, const Expression& constant) {
    if (const std::optional<double> seconds = text::parse_date(constant.text))
        return equal_to_day(comparison, time, constant.text, *seconds);
    if (!std::isnan(xpath_number(constant.text))) return {};
    return shown(constant) + " is not a date, or not one with a single meaning, so this " +
           (comparison.kind == Kind::not_equal ? "always" : "never") + " holds; " + spellings;
}

std::string number_as_time(const Expression& constant) {
    constexpr double years[] = {1900, 2100}, days[] = {19'000'101, 21'001'231};
    constexpr double milliseconds_min = 1e11, milliseconds_max = 1e13;
    const double n = constant.number;
    if (n != std::floor(n)) return {};
    const std::string digits = shown(constant);
    const std::string begin = digits + " is a number of seconds since 1970 here; for the date write '";
    if (n >= years[0] && n <= years[1]) return begin + digits + "-01-01'";
    if (n >= days[0] && n <= days[1] && text::parse_date(digits))
        return begin + day_of(*text::parse_date(digits)) + "'";
    if (n < milliseconds_min || n > milliseconds_max) return {};
    return "times are in seconds since 1970, not in milliseconds; write '" +
           text::format_rfc3339(std::floor(n / 1000)) + "'";
}

}  // namespace

std::string describe_time_constant(const Expression& comparison, std::size_t time) {
    const Expression& constant = comparison.operands[1 - time];
    if (constant.kind == Kind::string) return text_as_time(comparison, time, constant);
    return constant.kind == Kind::number ? number_as_time(constant) : std::string();
}

std::string describe_date_call(const Expression& call) {
    const bool of_text = call.kind == Kind::call && call.text == "date" && call.operands[0].kind == Kind::string;
    if (!of_text || text::parse_date(call.operands[0].text)) return {};
    return "date() can't read " + shown(call.operands[0]) + "; " + spellings;
}

}  // namespace sluice::filter
