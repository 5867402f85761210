#include "protocol/feed/encoding/encoding_steps.hpp"

#include <algorithm>

#include "protocol/text/utf8.hpp"

namespace sluice::feed {

namespace {

constexpr std::size_t no_pointer = static_cast<std::size_t>(-1);

std::size_t byte_of(std::string_view bytes, std::size_t at) { return static_cast<unsigned char>(bytes[at]); }

bool is_between(std::size_t number, std::size_t low, std::size_t high) { return number >= low && number <= high; }

bool is_lead_surrogate(std::size_t unit) { return is_between(unit, 0xD800, 0xDBFF); }
bool is_trail_surrogate(std::size_t unit) { return is_between(unit, 0xDC00, 0xDFFF); }

// The bytes of a fault end before ASCII, which may be markup.
DecodedStep fault_before_ascii(std::string_view rest, std::size_t length) {
    return DecodedStep::fault(byte_of(rest, length - 1) < 0x80 ? length - 1 : length);
}

DecodedStep step_by_pointer(std::string_view rest, std::size_t length, std::size_t pointer,
                            const EncodingIndex& index) {
    const char32_t code = pointer < index.size() ? index[pointer] : 0;
    return code != 0 ? DecodedStep::character(code, length) : fault_before_ascii(rest, length);
}

// How many bytes at the beginning of what is not UTF-8 could begin a character; at least 1.
std::size_t utf8_fault_length(std::string_view rest) {
    const std::size_t lead = byte_of(rest, 0);
    if (!is_between(lead, 0xC2, 0xF4)) return 1;
    const std::size_t needed = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    std::size_t low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    std::size_t high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    std::size_t length = 1;
    while (length < std::min(needed, rest.size()) && is_between(byte_of(rest, length), low, high)) {
        ++length;
        low = 0x80;
        high = 0xBF;
    }
    return length;
}

std::size_t unit_at(std::string_view bytes, std::size_t at, bool is_big_endian) {
    const std::size_t first = byte_of(bytes, at), second = byte_of(bytes, at + 1);
    return is_big_endian ? first << 8 | second : second << 8 | first;
}

}  // namespace

DecodedStep step_utf8(std::string_view rest) {
    const text::Utf8Char c = text::utf8_at(rest, 0);
    if (c.length > 0) return DecodedStep::character(c.code, c.length);
    const std::size_t length = utf8_fault_length(rest);
    const bool is_begun = length > 1 || is_between(byte_of(rest, 0), 0xC2, 0xF4);
    return is_begun && length == rest.size() ? DecodedStep::cut_off(rest) : DecodedStep::fault(length);
}

DecodedStep step_utf16(std::string_view rest, bool is_big_endian) {
    if (rest.size() < 2) return DecodedStep::cut_off(rest);
    const std::size_t unit = unit_at(rest, 0, is_big_endian);
    if (is_trail_surrogate(unit)) return DecodedStep::fault(2);
    if (!is_lead_surrogate(unit)) return DecodedStep::character(static_cast<char32_t>(unit), 2);
    if (rest.size() < 4) return DecodedStep::cut_off(rest);
    const std::size_t next = unit_at(rest, 2, is_big_endian);
    if (!is_trail_surrogate(next)) return DecodedStep::fault(2);
    return DecodedStep::character(static_cast<char32_t>(0x10000 + ((unit - 0xD800) << 10) + (next - 0xDC00)), 4);
}

DecodedStep step_utf32(std::string_view rest, bool is_big_endian) {
    if (rest.size() < 4) return DecodedStep::cut_off(rest);
    const std::size_t first = unit_at(rest, 0, is_big_endian), second = unit_at(rest, 2, is_big_endian);
    const std::size_t code = is_big_endian ? first << 16 | second : second << 16 | first;
    if (code > 0x10FFFF || is_between(code, 0xD800, 0xDFFF)) return DecodedStep::fault(4);
    return DecodedStep::character(static_cast<char32_t>(code), 4);
}

DecodedStep step_big5(std::string_view rest, const EncodingIndex& big5) {
    const std::size_t lead = byte_of(rest, 0);
    if (!is_between(lead, 0x81, 0xFE)) return DecodedStep::fault(1);
    if (rest.size() < 2) return DecodedStep::cut_off(rest);
    const std::size_t trail = byte_of(rest, 1);
    std::size_t pointer = no_pointer;
    if (is_between(trail, 0x40, 0x7E) || is_between(trail, 0xA1, 0xFE))
        pointer = (lead - 0x81) * 157 + trail - (trail < 0x7F ? 0x40 : 0x62);
    switch (pointer) {
        case 1133:
            return {DecodedStep::Kind::character, 2, 0xCA, 0x304};
        case 1135:
            return {DecodedStep::Kind::character, 2, 0xCA, 0x30C};
        case 1164:
            return {DecodedStep::Kind::character, 2, 0xEA, 0x304};
        case 1166:
            return {DecodedStep::Kind::character, 2, 0xEA, 0x30C};
        default:
            return step_by_pointer(rest, 2, pointer, big5);
    }
}

DecodedStep step_euc_kr(std::string_view rest, const EncodingIndex& euc_kr) {
    const std::size_t lead = byte_of(rest, 0);
    if (!is_between(lead, 0x81, 0xFE)) return DecodedStep::fault(1);
    if (rest.size() < 2) return DecodedStep::cut_off(rest);
    const std::size_t trail = byte_of(rest, 1);
    const std::size_t pointer = is_between(trail, 0x41, 0xFE) ? (lead - 0x81) * 190 + trail - 0x41 : no_pointer;
    return step_by_pointer(rest, 2, pointer, euc_kr);
}

DecodedStep step_euc_jp(std::string_view rest, const EncodingIndex& jis0208, const EncodingIndex& jis0212) {
    const auto is_kanji = [](std::size_t byte) { return is_between(byte, 0xA1, 0xFE); };
    const std::size_t lead = byte_of(rest, 0);
    if (lead != 0x8E && lead != 0x8F && !is_kanji(lead)) return DecodedStep::fault(1);
    if (rest.size() < 2) return DecodedStep::cut_off(rest);
    const std::size_t second = byte_of(rest, 1);
    if (lead == 0x8E && is_between(second, 0xA1, 0xDF))
        return DecodedStep::character(static_cast<char32_t>(0xFF61 - 0xA1 + second), 2);
    if (lead == 0x8F && is_kanji(second)) {
        if (rest.size() < 3) return DecodedStep::cut_off(rest);
        const std::size_t third = byte_of(rest, 2);
        const std::size_t pointer = is_kanji(third) ? (second - 0xA1) * 94 + third - 0xA1 : no_pointer;
        return step_by_pointer(rest, 3, pointer, jis0212);
    }
    const std::size_t pointer = is_kanji(lead) && is_kanji(second) ? (lead - 0xA1) * 94 + second - 0xA1 : no_pointer;
    return step_by_pointer(rest, 2, pointer, jis0208);
}

DecodedStep step_shift_jis(std::string_view rest, const EncodingIndex& jis0208) {
    const std::size_t lead = byte_of(rest, 0);
    if (lead == 0x80) return DecodedStep::character(0x80, 1);
    if (is_between(lead, 0xA1, 0xDF)) return DecodedStep::character(static_cast<char32_t>(0xFF61 - 0xA1 + lead), 1);
    if (!is_between(lead, 0x81, 0x9F) && !is_between(lead, 0xE0, 0xFC)) return DecodedStep::fault(1);
    if (rest.size() < 2) return DecodedStep::cut_off(rest);
    const std::size_t trail = byte_of(rest, 1);
    std::size_t pointer = no_pointer;
    if (is_between(trail, 0x40, 0x7E) || is_between(trail, 0x80, 0xFC))
        pointer = (lead - (lead < 0xA0 ? 0x81 : 0xC1)) * 188 + trail - (trail < 0x7F ? 0x40 : 0x41);
    if (is_between(pointer, 8836, 10715))  // characters of the user's own
        return DecodedStep::character(static_cast<char32_t>(0xE000 - 8836 + pointer), 2);
    return step_by_pointer(rest, 2, pointer, jis0208);
}

DecodedStep step_gb18030(std::string_view rest, const EncodingIndex& gb18030, const EncodingIndex& ranges) {
    const auto is_digit = [](std::size_t byte) { return is_between(byte, 0x30, 0x39); };
    const std::size_t first = byte_of(rest, 0);
    if (first == 0x80) return DecodedStep::character(0x20AC, 1);
    if (!is_between(first, 0x81, 0xFE)) return DecodedStep::fault(1);
    if (rest.size() < 2) return DecodedStep::cut_off(rest);
    const std::size_t second = byte_of(rest, 1);
    if (!is_digit(second)) {
        std::size_t pointer = no_pointer;
        if (is_between(second, 0x40, 0x7E) || is_between(second, 0x80, 0xFE))
            pointer = (first - 0x81) * 190 + second - (second < 0x7F ? 0x40 : 0x41);
        return step_by_pointer(rest, 2, pointer, gb18030);
    }
    if (rest.size() < 3) return DecodedStep::cut_off(rest);
    const std::size_t third = byte_of(rest, 2);
    if (!is_between(third, 0x81, 0xFE)) return DecodedStep::fault(1);
    if (rest.size() < 4) return DecodedStep::cut_off(rest);
    const std::size_t fourth = byte_of(rest, 3);
    if (!is_digit(fourth)) return DecodedStep::fault(1);
    const std::size_t pointer = (((first - 0x81) * 10 + second - 0x30) * 126 + third - 0x81) * 10 + fourth - 0x30;
    if (pointer < ranges.size()) return DecodedStep::character(ranges[pointer], 4);
    if (is_between(pointer, 189'000, 189'000 + 0xFFFFF))
        return DecodedStep::character(static_cast<char32_t>(pointer - 189'000 + 0x10000), 4);
    return DecodedStep::fault(4);
}

}  // namespace sluice::feed
