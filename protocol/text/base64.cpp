#include "protocol/text/base64.hpp"

#include <cstdint>

#include "protocol/text/ascii.hpp"

namespace sluice::text {

namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::optional<std::string> decode_base64(std::string_view text) {
    std::string bytes;
    bytes.reserve(text.size() / 4 * 3);
    std::uint32_t bits = 0;
    std::size_t digits = 0, padding = 0;
    for (const char c : text) {
        if (is_ascii_space(c)) continue;
        const std::size_t value = c == '=' ? 0 : alphabet.find(c);
        if (value == std::string_view::npos || (c != '=' && padding > 0)) return std::nullopt;
        padding += c == '=' ? 1 : 0;
        bits = bits << 6 | static_cast<std::uint32_t>(value);
        if (++digits % 4 != 0) continue;
        for (const int shift : {16, 8, 0}) bytes += static_cast<char>(bits >> shift & 0xFF);
    }
    const bool complete = digits % 4 == 0 && padding <= 2;
    if (!complete) return std::nullopt;
    bytes.resize(bytes.size() - padding);
    return bytes;
}

std::string encode_base64(std::string_view bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k)
            group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
        for (std::size_t k = 0; k < 4; ++k) text += i + k <= bytes.size() ? alphabet[group >> (18 - 6 * k) & 63] : '=';
    }
    return text;
}

}  // namespace sluice::text
