// Reads JSON (RFC 8259) from left to right and knows where it is, so that a fault has its place and one bad value does
// not cost its neighbours. More lenient than RFC 8259 expects in two points: a lone surrogate in a
// string is U+FFFD, and a number may have any exponent, since it keeps its text. Belongs to one thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice::feed {

class JsonReader {
public:
    // Reads text[begin, end), and reports offsets in `text`, which is UTF-8 without forbidden characters (check_utf8).
    JsonReader(std::string_view text, std::size_t begin, std::size_t end)
        : text_(text.substr(0, end)), at_(begin), fault_at_(begin) {}

    // After white space: the next character, not consumed; '\0' at the end.
    char next();
    bool take(char c) { return next() == c && (++at_, true); }
    std::size_t offset() const { return at_; }
    void go_to(std::size_t offset) { at_ = offset; }
    std::string_view text_from(std::size_t begin) const { return text_.substr(begin, at_ - begin); }

    // These read what comes next. False: it is something else, or not well-formed; then fault() says what and where.
    bool expect(char c, std::string_view where);  // `where`: "after a key", for the message
    bool string(std::string& value);              // "\u0000" becomes U+FFFD, too
    bool scalar(std::string& value);              // a string, true, false, null or a number (number_text)
    bool fail(std::string message);               // at offset()

    // Goes behind the value that begins here, whatever is wrong in it, by counting brackets outside strings.
    void skip_value();

    const std::string& fault() const { return fault_; }
    std::size_t fault_offset() const { return fault_at_; }

private:
    bool escape(std::string& value);
    bool code_unit(char32_t& code);
    bool number(std::string& value);
    bool literal(std::string& value);
    void skip_digits();
    void skip_string();

    std::string_view text_;
    std::size_t at_;
    std::string fault_;
    std::size_t fault_at_;
};

// A JSON number for a filter, which reads no exponents: one with an exponent is written out, digit by digit, if that
// takes at most number_text_max characters. Otherwise the number is as published. 17 digits suffice for every double;
// the longest written out is -4.9406564584124654e-324.
inline constexpr std::size_t number_text_max = 343;
std::string number_text(std::string_view number);

}  // namespace sluice::feed
