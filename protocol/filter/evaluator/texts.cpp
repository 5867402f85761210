#include "protocol/filter/evaluator/texts.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "protocol/filter/syntax/xpath_number.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::xpath {

namespace {

constexpr std::size_t piece_bytes = 64u << 10;    // between two calls of the meter
constexpr std::size_t search_bytes = 256u << 10;  // the same, where each piece first reads the search string

constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::size_t length_at(std::string_view text, std::size_t at) {
    return static_cast<unsigned char>(text[at]) < 0x80 ? 1 : std::max<std::size_t>(1, text::utf8_at(text, at).length);
}

bool is_normal(std::string_view text, Meter& meter) {
    bool after_space = true;
    for (std::size_t at = 0; at < text.size(); at += piece_bytes) {
        const std::string_view piece = text.substr(at, piece_bytes);
        meter.spend(piece.size());
        for (const char c : piece) {
            if (is_space(c) && (after_space || c != ' ')) return false;
            after_space = is_space(c);
        }
    }
    return text.empty() || !after_space;
}

constexpr std::size_t ascii_piece = 64;

// Appends the translations of the first characters, as long as both are ASCII. Returns the number of these characters.
std::size_t translate_ascii(std::string_view text, const TranslateTable& table, Text::Buffer& result) {
    const std::size_t begin = result.size();
    result.resize(begin + text.size());
    char* to = result.data() + begin;
    std::size_t at = 0;
    for (; at < text.size(); ++at) {
        const auto c = static_cast<unsigned char>(text[at]);
        const std::int32_t with = c < 0x80 ? table(c) : 0x80;
        if (with >= 0x80) break;
        if (with != TranslateTable::dropped) *to++ = with >= 0 ? static_cast<char>(with) : text[at];
    }
    result.resize(static_cast<std::size_t>(to - result.data()));
    return at;
}

}  // namespace

std::size_t TextFunctions::find(std::string_view text, std::string_view wanted) const {
    if (wanted.empty()) return 0;
    const std::size_t stride = std::max(search_bytes, 2 * wanted.size());
    for (std::size_t at = 0; at + wanted.size() <= text.size(); at += stride) {
        const std::string_view piece = text.substr(at, stride + wanted.size() - 1);
        meter_.spend(1 + (piece.size() + wanted.size()) / searched_per_step);
        // Takes time linear in both lengths, unlike std::string_view::find.
        const void* found = memmem(piece.data(), piece.size(), wanted.data(), wanted.size());
        if (found) return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
    }
    return std::string_view::npos;
}

double TextFunctions::length(std::string_view text) const {
    std::size_t characters = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.size(), at + piece_bytes);
        meter_.spend(1 + (end - at) / 2);
        for (; at < end; at += length_at(text, at)) ++characters;
    }
    return static_cast<double>(characters);
}

double TextFunctions::number(std::string_view text) const {
    meter_.spend(steps_per_number + text.size() / bytes_per_step);
    return filter::xpath_number(text);
}

bool TextFunctions::equal(std::string_view a, std::string_view b) const {
    if (a.size() != b.size()) return false;
    meter_.read(a.size());
    return a == b;
}

Text TextFunctions::substring(Text text, double begin, double end) const {
    if (std::isnan(begin) || std::isnan(end)) return {};
    const std::string_view all = text.view();
    std::size_t at = 0, from = all.size(), until = all.size();
    for (double position = 1; at < all.size(); ++position) {
        meter_.spend(1);
        if (position >= begin && from == all.size()) from = at;
        if (position >= end) {
            until = at;
            break;
        }
        at += length_at(all, at);
    }
    text.resize(until);
    text.remove_prefix(std::min(from, until));
    return text;
}

Text TextFunctions::normalize_space(Text text) const {
    if (is_normal(text.view(), meter_)) return text;
    Text::Buffer normal(memory_);
    for (const char c : text.view()) {
        meter_.spend(1);
        if (!is_space(c)) {
            normal.push_back(c);
        } else if (!normal.empty() && normal.back() != ' ') {
            normal.push_back(' ');
        }
    }
    if (!normal.empty() && normal.back() == ' ') normal.pop_back();
    return Text(std::move(normal));
}

Text TextFunctions::translate(std::string_view text, const TranslateTable& table) const {
    Text::Buffer result(memory_);
    result.reserve(text.size());
    std::string character;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t plain = translate_ascii(text.substr(at, ascii_piece), table, result);
        at += plain;
        meter_.spend(2 * std::max<std::size_t>(1, plain));
        if (plain > 0) continue;
        const text::Utf8Char c = text::utf8_at(text, at);
        const std::size_t length = std::max<std::size_t>(1, c.length);
        const std::int32_t with = c.length == 0 ? TranslateTable::unchanged : table(c.code);
        if (with == TranslateTable::unchanged) {
            result.insert(result.end(), text.begin() + static_cast<std::ptrdiff_t>(at),
                          text.begin() + static_cast<std::ptrdiff_t>(at + length));
        } else if (with >= 0) {
            character.clear();
            text::append_utf8(character, static_cast<char32_t>(with));
            result.insert(result.end(), character.begin(), character.end());
        }
        at += length;
    }
    return Text(std::move(result));
}

void TextFunctions::append(Text::Buffer& buffer, std::string_view text) const {
    meter_.spend(1 + text.size());
    buffer.insert(buffer.end(), text.begin(), text.end());
}

Text TextFunctions::made(std::string_view text) const {
    Text::Buffer result(memory_);
    append(result, text);
    return Text(std::move(result));
}

}  // namespace sluice::xpath
