// The loops of utf8_kernel.hpp for one kind of vector. In an unnamed namespace, because each file that includes this
// one is compiled for a different instruction set.
//
// A byte and the one before it show by three tables of their halves which rules the two break; whether a byte has to be
// the third or fourth of a character is seen from those two and three before it. John Keiser, Daniel Lemire:
// Validating UTF-8 In Less Than One Instruction Per Byte, Software: Practice and Experience 51 (2021).
#pragma once

#include <cstdint>
#include <cstring>

#include "protocol/bytes/byte_sets.hpp"
#include "protocol/bytes/utf8_kernel.hpp"

namespace sluice::bytes {
namespace {

// What may be wrong with a byte and the one before it.
enum Broken : std::uint8_t {
    too_short = 1 << 0,  // a lead without a continuation
    too_long = 1 << 1,   // ASCII with one
    overlong_3 = 1 << 2,
    too_large = 1 << 3,
    surrogate = 1 << 4,
    overlong_2 = 1 << 5,
    too_large_or_overlong_4 = 1 << 6,  // F5 80 and above, or F0 8.
    continuations = 1 << 7,            // two of them: right in a character of three or four bytes
    whatever_lead = too_short | too_long | continuations
};

struct HalfTable {
    std::uint8_t of[16] = {};

    template <class Rules>
    constexpr explicit HalfTable(const Rules& rules) {
        for (unsigned half = 0; half < 16; ++half) of[half] = static_cast<std::uint8_t>(rules(half));
    }
};

constexpr HalfTable by_upper_half_of_first([](unsigned half) -> unsigned {
    if (half < 0x8) return too_long;
    if (half < 0xC) return continuations;
    if (half == 0xC) return too_short | overlong_2;
    if (half == 0xD) return too_short;
    return half == 0xE ? too_short | overlong_3 | surrogate : too_short | too_large | too_large_or_overlong_4;
});

constexpr HalfTable by_lower_half_of_first([](unsigned half) {
    unsigned broken = whatever_lead;
    if (half == 0) broken |= overlong_3 | too_large_or_overlong_4;
    if (half <= 1) broken |= overlong_2;
    if (half >= 4) broken |= too_large;
    if (half >= 5) broken |= too_large_or_overlong_4;
    if (half == 0xD) broken |= surrogate;
    return broken;
});

constexpr HalfTable by_upper_half_of_second([](unsigned half) -> unsigned {
    if (half < 0x8 || half >= 0xC) return too_short;
    const unsigned broken = too_long | overlong_2 | continuations;
    if (half == 0x8) return broken | overlong_3 | too_large_or_overlong_4;
    return half == 0x9 ? broken | overlong_3 | too_large : broken | surrogate | too_large;
});

// A block, and the bytes before it: three at least can be read.
template <class Vector>
struct Around {
    explicit Around(const char* at)
        : here(Vector::load(at)),
          first(Vector::load(at - 1)),
          second(Vector::load(at - 2)),
          third(Vector::load(at - 3)) {}

    Vector here;
    Vector first, second, third;  // those one, two and three before
};

template <class Vector>
bool is_good_block(Utf8, const Around<Vector>& bytes) {
    const Vector broken = bytes.first.by_upper_half(by_upper_half_of_first.of) &
                          bytes.first.by_lower_half(by_lower_half_of_first.of) &
                          bytes.here.by_upper_half(by_upper_half_of_second.of);
    const Vector continues = (bytes.second.minus(0xE0 - 0x80) | bytes.third.minus(0xF0 - 0x80)).top_bits();
    return !(broken ^ continues).has_any();
}

template <class Vector>
bool is_good_block(XmlUtf8, const Around<Vector>& bytes) {
    const Vector here = bytes.here;
    const auto controls = here.is_control().except(here.is('\t') | here.is('\n') | here.is('\r'));
    const auto no_characters = bytes.second.is('\xEF') & bytes.first.is('\xBF') & (here.is('\xBE') | here.is('\xBF'));
    return (controls | no_characters).mask() == 0 && is_good_block(Utf8(), bytes);
}

template <class Vector>
bool is_good_ascii(Utf8, Vector bytes) {
    return bytes.is_ascii();
}

template <class Vector>
bool is_good_ascii(XmlUtf8, Vector bytes) {
    return NotXmlAscii::among(bytes).mask() == 0;
}

// The block at text[at], behind bytes that are good or an incomplete character.
template <class Rule, class Vector>
bool is_good_at(const char* text, std::size_t at) {
    constexpr std::size_t before = 3;
    if (at >= before) return is_good_block(Rule(), Around<Vector>(text + at));
    char bytes[before + Vector::width] = {};
    std::memcpy(bytes + before - at, text, at + Vector::width);
    return is_good_block(Rule(), Around<Vector>(bytes + before));
}

// Where the character begins that ends, or would go on, before text[at].
std::size_t last_character(const char* text, std::size_t at) {
    for (std::size_t back = 1; back <= 3 && back <= at; ++back) {
        const auto byte = static_cast<unsigned char>(text[at - back]);
        if (byte < 0x80) return at;
        if (byte >= 0xC0) return at - back;
    }
    return at;
}

bool ends_within_character(const char* text, std::size_t size) {
    const auto byte = [&](std::size_t back) { return static_cast<unsigned char>(text[size - back]); };
    return byte(1) >= 0xC0 || byte(2) >= 0xE0 || byte(3) >= 0xF0;
}

// The last block overlaps the one before.
template <class Rule, class Vector>
std::size_t prefix_in_blocks(const char* text, std::size_t size) {
    const std::size_t last = size - Vector::width;
    bool is_after_ascii = true;
    for (std::size_t at = 0;; at = at + Vector::width < last ? at + Vector::width : last) {
        const Vector bytes = Vector::load(text + at);
        const bool is_plain = is_after_ascii && bytes.is_control_or_not_ascii().mask() == 0;
        if (!is_plain) {
            const bool is_good =
                is_after_ascii && bytes.is_ascii() ? is_good_ascii(Rule(), bytes) : is_good_at<Rule, Vector>(text, at);
            if (!is_good) return last_character(text, at);
            is_after_ascii = bytes.is_ascii();
        }
        if (at == last) break;
    }
    return ends_within_character(text, size) ? last_character(text, size) : size;
}

}  // namespace
}  // namespace sluice::bytes
