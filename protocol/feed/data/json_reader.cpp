#include "protocol/feed/data/json_reader.hpp"

#include <algorithm>
#include <utility>

#include "protocol/bytes/find.hpp"
#include "protocol/text/ascii.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::feed {

namespace {

constexpr char32_t replacement = 0xFFFD;

constexpr bool is_leading(char32_t unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
constexpr bool is_trailing(char32_t unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

// The character at text[at], quoted for a message.
std::string found_at(std::string_view text, std::size_t at) {
    if (at >= text.size()) return "the end";
    const std::size_t length = std::max<std::size_t>(1, text::utf8_at(text, at).length);
    const std::string_view c = text.substr(at, length);
    return c == "\n" || c == "\r" ? std::string("a line end") : "'" + std::string(c) + "'";
}

}  // namespace

char JsonReader::next() {
    while (at_ < text_.size() && text::is_ascii_space(text_[at_])) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
}

bool JsonReader::fail(std::string message) {
    fault_ = std::move(message);
    fault_at_ = at_;
    return false;
}

bool JsonReader::expect(char c, std::string_view where) {
    if (take(c)) return true;
    return fail(std::string("not JSON: expected '") + c + "' " + std::string(where) + ", found " +
                found_at(text_, at_));
}

bool JsonReader::string(std::string& value) {
    value.clear();
    if (next() != '"') return fail("not JSON: expected a string, found " + found_at(text_, at_));
    for (++at_; at_ < text_.size();) {
        const std::size_t end = bytes::find_in<bytes::JsonStringEnd>(text_, at_);
        value.append(text_, at_, end - at_);
        at_ = end;
        if (end == text_.size()) break;
        if (text_[end] == '"') return ++at_, true;
        if (text_[end] != '\\')
            return fail("not JSON: " + std::string(text_[end] == '\t' ? "a tab" : "a line end") +
                        " in a string is written as an escape");
        if (!escape(value)) return false;
    }
    return fail("not JSON: a string has no closing quote");
}

// At the backslash.
bool JsonReader::escape(std::string& value) {
    constexpr std::string_view names = "\"\\/bfnrt", characters = "\"\\/\b\f\n\r\t";
    const char name = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (const std::size_t which = names.find(name); name != '\0' && which != std::string_view::npos) {
        value += characters[which];
        at_ += 2;
        return true;
    }
    char32_t code = 0;
    if (!code_unit(code)) return false;
    char32_t trailing = 0;
    if (is_leading(code) && text_.substr(at_, 2) == "\\u") {
        const std::size_t begin = at_;
        if (!code_unit(trailing)) return false;
        if (!is_trailing(trailing)) at_ = begin;
    }
    if (is_leading(code) && is_trailing(trailing)) code = 0x10000 + ((code - 0xD800) << 10) + (trailing - 0xDC00);
    const bool is_lone = is_leading(code) || is_trailing(code);
    text::append_utf8(value, is_lone || code == 0 ? replacement : code);
    return true;
}

// "\u" and four hexadecimal digits.
bool JsonReader::code_unit(char32_t& code) {
    if (text_.substr(at_, 2) != "\\u") return fail("not JSON: an unknown escape in a string");
    code = 0;
    for (std::size_t i = 2; i < 6; ++i) {
        const int digit = at_ + i < text_.size() ? text::hex_digit(text_[at_ + i]) : -1;
        if (digit < 0) return fail("not JSON: \\u has four hexadecimal digits");
        code = code << 4 | static_cast<char32_t>(digit);
    }
    at_ += 6;
    return true;
}

bool JsonReader::scalar(std::string& value) {
    const char c = next();
    if (c == '"') return string(value);
    if (c == '-' || text::is_ascii_digit(c)) return number(value);
    return literal(value);
}

bool JsonReader::literal(std::string& value) {
    for (const std::string_view word : {"true", "false", "null"}) {
        if (text_.substr(at_, word.size()) != word) continue;
        value = word;
        at_ += word.size();
        return true;
    }
    return fail("not JSON: expected a value, found " + found_at(text_, at_));
}

void JsonReader::skip_digits() {
    while (at_ < text_.size() && text::is_ascii_digit(text_[at_])) ++at_;
}

bool JsonReader::number(std::string& value) {
    const std::size_t begin = at_;
    const auto digits = [&] {
        const std::size_t first = at_;
        skip_digits();
        return at_ > first || fail("not JSON: expected a digit, found " + found_at(text_, at_));
    };
    const auto is_one_of = [&](std::string_view set) {
        return at_ < text_.size() && set.find(text_[at_]) != std::string_view::npos;
    };
    if (text_[at_] == '-') ++at_;
    if (is_one_of("0")) {
        ++at_;
        if (at_ < text_.size() && text::is_ascii_digit(text_[at_]))
            return fail("not JSON: a number has no leading zeros");
    } else if (!digits()) {
        return false;
    }
    if (is_one_of(".")) {
        ++at_;
        if (!digits()) return false;
    }
    if (is_one_of("eE")) {
        ++at_;
        if (is_one_of("+-")) ++at_;
        if (!digits()) return false;
    }
    value = number_text(text_.substr(begin, at_ - begin));
    return true;
}

void JsonReader::skip_value() {
    next();
    std::size_t depth = 0;
    while (at_ < text_.size()) {
        const char c = text_[at_];
        if (c == '"') {
            skip_string();
        } else if (c == '{' || c == '[') {
            ++depth;
            ++at_;
            continue;
        } else if (c == '}' || c == ']') {
            if (depth == 0) return;  // closes the enclosing value
            --depth;
            ++at_;
        } else if (depth == 0 && (c == ',' || c == ':' || text::is_ascii_space(c))) {
            return;
        } else {
            ++at_;
            continue;
        }
        if (depth == 0) return;
    }
}

void JsonReader::skip_string() {
    // A quote ends the string unless an odd number of backslashes precedes it.
    for (std::size_t end = at_ + 1; (end = text_.find('"', end)) != std::string_view::npos; ++end) {
        const std::size_t last = text_.find_last_not_of('\\', end - 1);
        if ((end - last) % 2 == 1) {
            at_ = end + 1;
            return;
        }
    }
    at_ = text_.size();
}

std::string number_text(std::string_view number) {
    const std::size_t e = number.find_first_of("eE");
    if (e == std::string_view::npos) return std::string(number);
    const bool is_negative = number.starts_with('-');
    std::string_view mantissa = number.substr(0, e).substr(is_negative ? 1 : 0);
    std::string_view power = number.substr(e + 1);
    const bool is_power_negative = power.starts_with('-');
    power.remove_prefix(power.starts_with('-') || power.starts_with('+') ? 1 : 0);
    power.remove_prefix(std::min(power.find_first_not_of('0'), power.size()));
    if (power.size() > 3 || mantissa.size() > number_text_max) return std::string(number);

    int shift = 0;
    for (const char c : power) shift = shift * 10 + (c - '0');
    const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
    std::string digits(mantissa.substr(0, point));
    if (point < mantissa.size()) digits += mantissa.substr(point + 1);
    int places = static_cast<int>(point) + (is_power_negative ? -shift : shift);  // digits before the point
    if (places < 1) {
        digits.insert(0, static_cast<std::size_t>(1 - places), '0');
        places = 1;
    }
    const auto whole = static_cast<std::size_t>(places);
    if (digits.size() < whole) digits.append(whole - digits.size(), '0');
    std::string text = is_negative ? "-" : "";
    const std::size_t first = std::min(digits.find_first_not_of('0'), whole - 1);
    text.append(digits, first, whole - first);
    if (digits.size() > whole) text.append(".").append(digits, whole);
    return text.size() <= number_text_max ? text : std::string(number);
}

}  // namespace sluice::feed
