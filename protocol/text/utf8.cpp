#include "protocol/text/utf8.hpp"

#include <algorithm>
#include <cstdio>

#include "protocol/bytes/utf8.hpp"

namespace sluice::text {

namespace {

bool is_continuation(unsigned char byte) { return (byte & 0xC0) == 0x80; }

}  // namespace

Utf8Char utf8_at(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) -> unsigned char {
        return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0;
    };
    const unsigned char lead = byte(0);
    if (lead < 0x80) return {lead, at < text.size() ? 1u : 0u};
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (lead < 0xC2 || lead > 0xF4) return {};
    char32_t code = lead & (0x7Fu >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if (!is_continuation(byte(i))) return {};
        code = code << 6 | (byte(i) & 0x3Fu);
    }
    if (code < least[length] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {};
    return {code, length};
}

void append_utf8(std::string& text, char32_t code) {
    const auto put = [&](char32_t byte) { text.push_back(static_cast<char>(byte)); };
    if (code < 0x80) {
        put(code);
    } else if (code < 0x800) {
        put(0xC0 | code >> 6);
        put(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        put(0xE0 | code >> 12);
        put(0x80 | (code >> 6 & 0x3F));
        put(0x80 | (code & 0x3F));
    } else {
        put(0xF0 | code >> 18);
        put(0x80 | (code >> 12 & 0x3F));
        put(0x80 | (code >> 6 & 0x3F));
        put(0x80 | (code & 0x3F));
    }
}

std::size_t count_characters(std::string_view text) {
    std::size_t count = 0;
    for (std::size_t at = 0; at < text.size(); at += std::max<std::size_t>(1, utf8_at(text, at).length)) ++count;
    return count;
}

std::string printable_utf8(std::string_view text) {
    std::string printable;
    printable.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = utf8_at(text, at).length;
        if (length == 0) append_utf8(printable, 0xFFFD);
        printable += text.substr(at, length);
        at += std::max<std::size_t>(1, length);
    }
    return printable;
}

std::string shortened_utf8(std::string_view text, std::size_t bytes_max) {
    if (text.size() <= bytes_max) return std::string(text);
    std::size_t end = bytes_max;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    return std::string(text.substr(0, end)) + "…";
}

std::optional<std::size_t> find_bad_text(std::string_view text) {
    const std::size_t good = bytes::xml_prefix(text);
    if (good == text.size()) return std::nullopt;
    return good;
}

std::string code_point_name(char32_t code) {
    char name[16];
    std::snprintf(name, sizeof name, "U+%04X", static_cast<unsigned>(code));
    return name;
}

}  // namespace sluice::text
