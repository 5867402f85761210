// UTF-8: checks, reads and writes characters. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::text {

// U+FEFF, with which some programs begin a file; it is no part of the text.
inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr std::string_view without_byte_order_mark(std::string_view text) {
    return text.starts_with(byte_order_mark) ? text.substr(byte_order_mark.size()) : text;
}

// The character that begins at text[at], and its length in bytes. The length is 0 if the bytes are not UTF-8 (as in an
// overlong form, a surrogate or anything above U+10FFFF).
struct Utf8Char {
    char32_t code = 0;
    std::size_t length = 0;
};
Utf8Char utf8_at(std::string_view text, std::size_t at);

void append_utf8(std::string& text, char32_t code);

// A stray byte counts as a character.
std::size_t count_characters(std::string_view text);

// The text with U+FFFD for every byte that is not UTF-8, for display.
std::string printable_utf8(std::string_view text);

// The text if it fits into `bytes_max` bytes; else as many of its first characters as fit, and "…".
std::string shortened_utf8(std::string_view text, std::size_t bytes_max);

// The first position where the text is not UTF-8, or has a character that is_xml_char refuses: a control character
// other than tab, LF and CR, U+FFFE or U+FFFF.
std::optional<std::size_t> find_bad_text(std::string_view text);

// XML 1.0's Char.
constexpr bool is_xml_char(char32_t c) {
    return c == 0x9 || c == 0xA || c == 0xD || (c >= 0x20 && c <= 0xD7FF) || (c >= 0xE000 && c <= 0xFFFD) ||
           (c >= 0x10000 && c <= 0x10FFFF);
}

// "U+0007", for messages.
std::string code_point_name(char32_t code);

}  // namespace sluice::text
