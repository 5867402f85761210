// UTF-8 a character at a time: the definition of what utf8_kernel.hpp finds faster. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <string_view>

#include "protocol/bytes/byte_sets.hpp"
#include "protocol/bytes/utf8_kernel.hpp"

namespace sluice::bytes {

// The size of the multi-byte character that begins at text[at]; 0: that is none.
constexpr std::size_t multi_byte_size(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) -> unsigned {
        return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0;
    };
    const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
    const unsigned lead = byte(0), second = byte(1);
    if (lead < 0xC2 || lead > 0xF4 || !continues(1)) return 0;
    if (lead < 0xE0) return 2;
    if (!continues(2)) return 0;
    if (lead < 0xF0) {
        const bool is_overlong = lead == 0xE0 && second < 0xA0, is_surrogate = lead == 0xED && second >= 0xA0;
        return is_overlong || is_surrogate ? 0 : 3;
    }
    const bool is_overlong = lead == 0xF0 && second < 0x90, is_too_large = lead == 0xF4 && second >= 0x90;
    return is_overlong || is_too_large || !continues(3) ? 0 : 4;
}

// The size of the character that begins at text[at]; 0: that is none, or none that may be in the text.
constexpr std::size_t character_size(Utf8, std::string_view text, std::size_t at) {
    return NotAscii::has(text[at]) ? multi_byte_size(text, at) : 1;
}
constexpr std::size_t character_size(XmlUtf8, std::string_view text, std::size_t at) {
    if (!NotXmlAscii::has(text[at])) return 1;
    const std::size_t size = multi_byte_size(text, at);
    const std::string_view character = text.substr(at, size);
    return character == "\xEF\xBF\xBE" || character == "\xEF\xBF\xBF" ? 0 : size;
}

// Of a text whose first `at` bytes are known to be good characters.
template <class Rule>
constexpr std::size_t prefix_by_character(std::string_view text, std::size_t at) {
    while (at < text.size()) {
        const std::size_t size = character_size(Rule(), text, at);
        if (size == 0) break;
        at += size;
    }
    return at;
}

}  // namespace sluice::bytes
