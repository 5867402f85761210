#include "broker/cli/workbench/json_line.hpp"

#include <boost/json/serialize.hpp>
#include <charconv>
#include <cmath>

namespace sluice::cli {

namespace {

// As many digits as tell the number from others, with a point, as the member of another object may need one.
std::string plain_number(double number) {
    if (!std::isfinite(number)) return "null";
    char text[1100];  // 5e-324 has 326 characters
    std::string digits(text, std::to_chars(text, text + sizeof text, number, std::chars_format::fixed).ptr);
    return digits.find('.') == std::string::npos ? digits + ".0" : digits;
}

}  // namespace

std::string json_line(const boost::json::object& object) {
    std::string line;
    for (const auto& [name, value] : object) {
        line += line.empty() ? '{' : ',';
        line += boost::json::serialize(boost::json::string(name));
        line += ':';
        line += value.is_double() ? plain_number(value.get_double()) : boost::json::serialize(value);
    }
    return line.empty() ? "{}" : line + '}';
}

}  // namespace sluice::cli
