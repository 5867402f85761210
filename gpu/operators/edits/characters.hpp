// Texts as the approximate operators see them: a distance counts Unicode code points, not bytes. A byte that is part of
// no well-formed UTF-8 sequence counts as one character, U+DC00 + byte (a surrogate, which no well-formed text
// contains). So damaged texts also have distances, and different bytes differ. Pure functions, callable from any
// thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice::edits {

inline constexpr char32_t bad_byte_base = 0xDC00;

struct Character {
    char32_t code;
    std::size_t bytes;
};

// The first character of `utf8`, which is not empty.
Character first_character(std::string_view utf8);

std::u32string characters(std::string_view utf8);

bool is_ascii(std::string_view text);

}  // namespace sluice::edits
