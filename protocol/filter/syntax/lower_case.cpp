#include "protocol/filter/syntax/lower_case.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "protocol/filter/syntax/lower_case_table.hpp"
#include "protocol/text/ascii.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::filter {

namespace {

constexpr char32_t capital_sigma = 0x3A3, small_sigma = 0x3C3, final_sigma = 0x3C2;
constexpr char32_t capital_i_with_dot = 0x130, dot_above = 0x307;

constexpr bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }
constexpr bool continues_utf8(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The run or range that the code point is in, or null.
template <class Range, std::size_t N>
const Range* find_range(const Range (&ranges)[N], char32_t c) {
    const Range* found =
        std::lower_bound(ranges, ranges + N, c, [](const Range& range, char32_t value) { return range.last < value; });
    return found != ranges + N && found->first <= c ? found : nullptr;
}

char32_t lower_code_point(char32_t c) {
    const LowerCaseRun* run = find_range(lower_case_runs, c);
    if (!run || (c - run->first) % run->step != 0) return c;
    return static_cast<char32_t>(static_cast<std::int32_t>(c) + run->delta);
}

bool is_cased(char32_t c) { return find_range(cased_ranges, c) != nullptr; }
bool is_case_ignorable(char32_t c) { return find_range(case_ignorable_ranges, c) != nullptr; }

// Whether the nearest character before text[at] that is not case-ignorable is cased.
bool is_cased_before(std::string_view text, std::size_t at) {
    while (at > 0) {
        std::size_t begin = at - 1;
        while (begin > 0 && continues_utf8(text[begin])) --begin;
        const auto [code, length] = text::utf8_at(text, begin);
        if (begin + length != at) return false;  // not UTF-8
        if (!is_case_ignorable(code)) return is_cased(code);
        at = begin;
    }
    return false;
}

// The same for the characters from text[at] on.
bool is_cased_after(std::string_view text, std::size_t at) {
    while (at < text.size()) {
        const auto [code, length] = text::utf8_at(text, at);
        if (length == 0) return false;
        if (!is_case_ignorable(code)) return is_cased(code);
        at += length;
    }
    return false;
}

// Final_Sigma: at the end of a word. The searches end at the next sigma, which is cased, so that all of them together
// take time linear in the text.
char32_t lower_sigma(std::string_view text, std::size_t at, std::size_t length) {
    return is_cased_before(text, at) && !is_cased_after(text, at + length) ? final_sigma : small_sigma;
}

// The length of the ASCII that the text begins with.
std::size_t ascii_length(std::string_view text) {
    constexpr std::uint64_t other = 0x8080'8080'8080'8080;
    std::size_t length = 0;
    for (std::uint64_t block; length + sizeof(block) <= text.size(); length += sizeof(block)) {
        std::memcpy(&block, text.data() + length, sizeof(block));
        if ((block & other) != 0) break;
    }
    while (length < text.size() && is_ascii(text[length])) ++length;
    return length;
}

// Appends the lower case of the ASCII that the text begins with. Returns its length.
std::size_t append_ascii(std::string& lower, std::string_view text) {
    const std::size_t length = ascii_length(text), begin = lower.size();
    lower += text.substr(0, length);
    for (std::size_t i = begin; i < lower.size(); ++i) lower[i] = text::ascii_lower(lower[i]);
    return length;
}

// Appends the lower case of the character at text[at], which is not ASCII. Returns its length.
std::size_t append_character(std::string& lower, std::string_view text, std::size_t at) {
    const auto [code, length] = text::utf8_at(text, at);
    if (length == 0) {
        lower += text[at];
        return 1;
    }
    if (code == capital_sigma) {
        text::append_utf8(lower, lower_sigma(text, at, length));
    } else if (code == capital_i_with_dot) {
        lower += 'i';
        text::append_utf8(lower, dot_above);
    } else {
        text::append_utf8(lower, lower_code_point(code));
    }
    return length;
}

}  // namespace

std::string lower_case(std::string_view utf8) {
    std::string lower;
    lower.reserve(utf8.size());
    for (std::size_t i = 0; i < utf8.size();) {
        if (is_ascii(utf8[i]))
            i += append_ascii(lower, utf8.substr(i));
        else
            i += append_character(lower, utf8, i);
    }
    return lower;
}

}  // namespace sluice::filter
