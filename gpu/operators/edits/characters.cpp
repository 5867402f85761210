#include "gpu/operators/edits/characters.hpp"

#include <cstdint>
#include <cstring>

namespace sluice::edits {

namespace {

// The length in bytes of a sequence that begins with `byte`, and the code points that it may encode; 0 if none.
struct Form {
    std::size_t bytes;
    char32_t least, greatest;
};
Form form_of(unsigned char byte) {
    if (byte < 0x80) return {1, 0, 0x7F};
    if (byte >= 0xC2 && byte < 0xE0) return {2, 0x80, 0x7FF};
    if (byte >= 0xE0 && byte < 0xF0) return {3, 0x800, 0xFFFF};
    if (byte >= 0xF0 && byte < 0xF5) return {4, 0x10000, 0x10FFFF};
    return {0, 0, 0};
}

}  // namespace

Character first_character(std::string_view utf8) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(utf8[i]); };
    const Character bad{bad_byte_base + byte(0), 1};
    const Form form = form_of(byte(0));
    if (form.bytes == 0 || form.bytes > utf8.size()) return bad;
    char32_t code = form.bytes == 1 ? byte(0) : byte(0) & (0x7Fu >> form.bytes);
    for (std::size_t i = 1; i < form.bytes; ++i) {
        if ((byte(i) & 0xC0) != 0x80) return bad;
        code = code << 6 | (byte(i) & 0x3F);
    }
    const bool surrogate = code >= 0xD800 && code < 0xE000;
    return code < form.least || code > form.greatest || surrogate ? bad : Character{code, form.bytes};
}

std::u32string characters(std::string_view utf8) {
    std::u32string codes;
    codes.reserve(utf8.size());
    while (!utf8.empty()) {
        const Character next = first_character(utf8);
        codes.push_back(next.code);
        utf8.remove_prefix(next.bytes);
    }
    return codes;
}

bool is_ascii(std::string_view text) {
    std::size_t i = 0;
    for (; i + 8 <= text.size(); i += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + i, 8);
        if ((word & 0x8080808080808080u) != 0) return false;
    }
    for (; i < text.size(); ++i) {
        if (static_cast<unsigned char>(text[i]) >= 0x80) return false;
    }
    return true;
}

}  // namespace sluice::edits
