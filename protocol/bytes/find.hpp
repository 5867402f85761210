// Where the next byte of a set is (byte_sets.hpp). Pure functions; any thread.
#pragma once

#include <cstddef>
#include <string_view>

#include "protocol/bytes/byte_sets.hpp"
#include "protocol/bytes/find_kernel.hpp"
#include "protocol/bytes/vector_sse2.hpp"

namespace sluice::bytes {

// The definition of find_in.
template <class Set>
constexpr std::size_t find_byte_by_byte(std::string_view text, std::size_t at) {
    while (at < text.size() && !Set::has(text[at])) ++at;
    return at;
}

#ifdef __SSE2__
// Of between Half and 2 * Half bytes.
template <class Set, std::size_t Half>
std::size_t find_in_ends(const char* text, std::size_t size) {
    const auto found = Set::among(Bytes16::load_ends<Half>(text, size)).mask() & ((1u << 2 * Half) - 1);
    if (found == 0) return size;
    const auto place = static_cast<std::size_t>(__builtin_ctz(found));
    return place < Half ? place : size + place - 2 * Half;
}

// Of the text's last bytes, from `at` on: fewer than a vector.
template <class Set>
std::size_t find_in_rest(std::string_view text, std::size_t at) {
    constexpr std::size_t width = Bytes16::width;
    const std::size_t left = text.size() - at;
    if (text.size() >= width && left > 0) {
        const auto found = Set::among(Bytes16::load(text.data() + text.size() - width)).mask() >> (width - left);
        return found != 0 ? at + static_cast<std::size_t>(__builtin_ctz(found)) : text.size();
    }
    if (left >= 8) return at + find_in_ends<Set, 8>(text.data() + at, left);
    if (left >= 4) return at + find_in_ends<Set, 4>(text.data() + at, left);
    return find_byte_by_byte<Set>(text, at);
}
#endif

// The place of the first byte of the set at text[at] or behind; text.size() if there is none. Made for texts of any
// length: a vector at a time at once, and larger ones, in a function, where those didn't find it soon.
template <class Set>
std::size_t find_in(std::string_view text, std::size_t at = 0) {
#ifdef __SSE2__
    constexpr std::size_t soon = 4 * Bytes16::width;
    for (const std::size_t begin = at; text.size() - at >= Bytes16::width; at += Bytes16::width) {
        if (at - begin == soon && text.size() - at >= find_bytes_min)
            return at + find_kernels().of(Set())(text.data() + at, text.size() - at);
        const auto found = Set::among(Bytes16::load(text.data() + at)).mask();
        if (found != 0) return at + static_cast<std::size_t>(__builtin_ctz(found));
    }
    return find_in_rest<Set>(text, at);
#else
    return find_byte_by_byte<Set>(text, at);
#endif
}

// The place at text[at] or behind of the first 'e' or 'E' with a digit, a sign or, as in UTF-16, NUL behind it; or
// text.size().
inline std::size_t find_exponent(std::string_view text, std::size_t at) {
    return at + find_kernels().exponent(text.data() + at, text.size() - at);
}

}  // namespace sluice::bytes
