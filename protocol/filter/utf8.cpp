#include "protocol/filter/utf8.hpp"

#include <algorithm>
#include <iterator>

namespace sluice {

namespace {

struct Range {
    char32_t first, last;
};

constexpr Range name_start_ranges[] = {
    {'A', 'Z'},       {'_', '_'},       {'a', 'z'},       {0xC0, 0xD6},     {0xD8, 0xF6},
    {0xF8, 0x2FF},    {0x370, 0x37D},   {0x37F, 0x1FFF},  {0x200C, 0x200D}, {0x2070, 0x218F},
    {0x2C00, 0x2FEF}, {0x3001, 0xD7FF}, {0xF900, 0xFDCF}, {0xFDF0, 0xFFFD}, {0x10000, 0xEFFFF},
};
constexpr Range name_only_ranges[] = {{'-', '.'}, {'0', '9'}, {0xB7, 0xB7}, {0x300, 0x36F}, {0x203F, 0x2040}};

template <std::size_t N>
bool within(char32_t c, const Range (&ranges)[N]) {
    return std::any_of(std::begin(ranges), std::end(ranges), [c](Range r) { return c >= r.first && c <= r.last; });
}

}  // namespace

CodePoint decode_utf8(std::string_view text, std::size_t i) {
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
    const unsigned char lead = byte(i);
    if (lead < 0x80) return {lead, 1, true};

    const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() - i < bytes) return {lead, 1, false};
    char32_t value = lead & (0xFFu >> (bytes + 1));
    for (std::size_t k = 1; k < bytes; ++k) {
        if ((byte(i + k) & 0xC0) != 0x80) return {lead, 1, false};
        value = (value << 6) | (byte(i + k) & 0x3Fu);
    }
    constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
    if (value < smallest[bytes] || value > 0x10FFFF || surrogate) return {lead, 1, false};
    return {value, bytes, true};
}

void append_utf8(std::string& text, char32_t c) {
    const auto put = [&](char32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
    if (c < 0x80) {
        put(c);
    } else if (c < 0x800) {
        put(0xC0 | (c >> 6));
        put(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        put(0xE0 | (c >> 12));
        put(0x80 | ((c >> 6) & 0x3F));
        put(0x80 | (c & 0x3F));
    } else {
        put(0xF0 | (c >> 18));
        put(0x80 | ((c >> 12) & 0x3F));
        put(0x80 | ((c >> 6) & 0x3F));
        put(0x80 | (c & 0x3F));
    }
}

std::size_t count_characters(std::string_view text) {
    std::size_t n = 0;
    for (std::size_t i = 0; i < text.size(); i += decode_utf8(text, i).bytes) ++n;
    return n;
}

bool is_name_start(char32_t c) { return within(c, name_start_ranges); }
bool is_name_character(char32_t c) { return is_name_start(c) || within(c, name_only_ranges); }

}  // namespace sluice
