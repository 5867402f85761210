#include "broker/cli/common/plain_json.hpp"

#include <array>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <cmath>

namespace sluice::cli {

namespace json = boost::json;

namespace {

void append_plain(double number, std::string& text) {
    if (!std::isfinite(number)) {
        text += "null";
        return;
    }
    std::array<char, 400> digits{};  // the longest: 5E-324
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, std::chars_format::fixed).ptr;
    text.append(digits.data(), end);
}

// As deep as the parser allows.
void append_plain(const json::value& value, std::string& text) {
    if (const json::object* object = value.if_object()) {
        char separator = '{';
        for (const auto& [name, member] : *object) {
            text += separator + json::serialize(json::string(name)) + ':';
            append_plain(member, text);
            separator = ',';
        }
        text += object->empty() ? "{}" : "}";
    } else if (const json::array* array = value.if_array()) {
        char separator = '[';
        for (const json::value& element : *array) {
            text += separator;
            append_plain(element, text);
            separator = ',';
        }
        text += array->empty() ? "[]" : "]";
    } else if (const double* number = value.if_double(); number != nullptr) {
        append_plain(*number, text);
    } else {
        text += json::serialize(value);
    }
}

}  // namespace

std::string plain_json(const json::value& value) {
    std::string text;
    append_plain(value, text);
    return text;
}

}  // namespace sluice::cli
