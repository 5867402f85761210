#include "protocol/feed/encoding/windows_1252.hpp"

#include <array>
#include <string>

#include "protocol/text/utf8.hpp"

namespace sluice::feed {

namespace {

// Bytes 0x80 to 0x9F.
constexpr std::array<char32_t, 32> characters = {
    0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x8D,   0x017D, 0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178,
};

std::array<std::string, 32> make_texts() {
    std::array<std::string, 32> texts;
    for (std::size_t i = 0; i < texts.size(); ++i) text::append_utf8(texts[i], characters[i]);
    return texts;
}

}  // namespace

char32_t windows_1252_character(unsigned char byte) {
    return byte >= 0x80 && byte < 0xA0 ? characters[byte - 0x80u] : byte;
}

bool is_windows_1252_only(char32_t code) { return code >= 0x80 && code < 0xA0 && characters[code - 0x80u] != code; }

std::string_view windows_1252_text(char32_t code) {
    static const std::array<std::string, 32> texts = make_texts();
    return texts[code - 0x80u];
}

}  // namespace sluice::feed
