#include "protocol/text/terminal.hpp"

#include <algorithm>
#include <cstdio>

#include "protocol/text/utf8.hpp"

namespace sluice::text {

namespace {

bool commands_a_terminal(char32_t c) {
    const bool is_control = c < 0x20 || (c >= 0x7F && c < 0xA0);
    const bool is_separator = c == 0x2028 || c == 0x2029;
    const bool is_bidirectional = (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
    return is_control || is_separator || is_bidirectional;
}

// Marks that hint at a direction (LRM, RLM, ALM). Right-to-left titles need them; they reorder no more than their own
// neighbours.
bool is_direction_mark(char32_t c) { return c == 0x200E || c == 0x200F || c == 0x061C; }

// `replace` appends what stands for an unwanted character.
template <class IsUnwanted, class Replace>
std::string replaced(std::string_view text, const IsUnwanted& is_unwanted, const Replace& replace) {
    std::string safe;
    safe.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const auto [code, length] = utf8_at(text, at);
        if (length == 0)
            append_utf8(safe, 0xFFFD);
        else if (is_unwanted(code))
            replace(safe, code);
        else
            safe += text.substr(at, length);
        at += std::max<std::size_t>(1, length);
    }
    return safe;
}

}  // namespace

std::string terminal_line(std::string_view text) {
    return replaced(text, commands_a_terminal, [](std::string& line, char32_t code) {
        append_utf8(line, code == '\t' || code == '\n' || code == '\r' ? ' ' : 0xFFFD);
    });
}

std::string terminal_lines(std::string_view text) {
    return replaced(text, commands_a_terminal, [](std::string& lines, char32_t code) {
        append_utf8(lines, code == '\t' || code == '\n' ? code : 0xFFFD);
    });
}

std::string terminal_json(std::string_view json) {
    const auto is_unwanted = [](char32_t c) { return commands_a_terminal(c) || is_direction_mark(c); };
    return replaced(json, is_unwanted, [](std::string& safe, char32_t code) {
        if (code == '\t' || code == '\n') return append_utf8(safe, code);
        if (code == '\r') return append_utf8(safe, ' ');
        char escaped[8];
        std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(code));
        safe += escaped;
    });
}

}  // namespace sluice::text
