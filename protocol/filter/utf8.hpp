// UTF-8, one code point at a time, and which code points may stand in a name. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

struct CodePoint {
    char32_t value = 0;
    std::size_t bytes = 1;  // 1 for a stray byte
    bool valid = false;     // shortest form, no surrogate, at most U+10FFFF (RFC 3629)
};

// The code point at text[i], i < text.size().
CodePoint decode_utf8(std::string_view text, std::size_t i);
void append_utf8(std::string& text, char32_t code_point);
std::size_t count_characters(std::string_view text);

// XML 1.0 (fifth edition) NameStartChar and NameChar, both without the colon.
bool is_name_start(char32_t c);
bool is_name_character(char32_t c);

}  // namespace sluice
