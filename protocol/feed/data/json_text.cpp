#include "protocol/feed/data/json_text.hpp"

#include <array>
#include <cstddef>

#include "protocol/text/utf8.hpp"

namespace sluice::feed {

namespace {

// Bytes that stand for themselves in a JSON string.
constexpr std::array<bool, 256> plain_bytes = [] {
    std::array<bool, 256> plain{};
    for (std::size_t c = 0x20; c < 0x7f; ++c) plain[c] = c != '"' && c != '\\';
    return plain;
}();

constexpr bool is_plain(char c) { return plain_bytes[static_cast<unsigned char>(c)]; }

void append_escape(std::string& json, char c) {
    switch (c) {
        case '"':
            json += "\\\"";
            return;
        case '\\':
            json += "\\\\";
            return;
        case '\n':
            json += "\\n";
            return;
        case '\r':
            json += "\\r";
            return;
        case '\t':
            json += "\\t";
            return;
        default:
            break;
    }
    constexpr std::string_view digits = "0123456789abcdef";
    const auto code = static_cast<unsigned char>(c);
    json += "\\u00";
    json += digits[code >> 4];
    json += digits[code & 15];
}

// Appends the escaped or multi-byte character at text[at]; returns the offset behind it.
std::size_t append_special(std::string& json, std::string_view text, std::size_t at) {
    if (static_cast<unsigned char>(text[at]) < 0x80) {
        append_escape(json, text[at]);
        return at + 1;
    }
    const std::size_t length = text::utf8_at(text, at).length;
    if (length == 0) {
        json += "\xEF\xBF\xBD";
        return at + 1;
    }
    json.append(text, at, length);
    return at + length;
}

}  // namespace

void append_json_string(std::string& json, std::string_view text) {
    json += '"';
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at;
        while (end < text.size() && is_plain(text[end])) ++end;
        json.append(text, at, end - at);
        at = end < text.size() ? append_special(json, text, end) : end;
    }
    json += '"';
}

}  // namespace sluice::feed
