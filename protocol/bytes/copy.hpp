// Copies of a few bytes, without a call. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <cstring>

namespace sluice::bytes {

// Copies between Step and 2 * Step bytes, by two steps that may overlap.
template <std::size_t Step>
void copy_ends(char* to, const char* from, std::size_t size) {
    char first[Step], last[Step];
    std::memcpy(first, from, Step);
    std::memcpy(last, from + size - Step, Step);
    std::memcpy(to, first, Step);
    std::memcpy(to + size - Step, last, Step);
}

// As memcpy; made for texts of up to about a hundred bytes.
inline void copy_short(char* to, const char* from, std::size_t size) {
    for (; size > 32; size -= 16, to += 16, from += 16) std::memcpy(to, from, 16);
    if (size >= 16) return copy_ends<16>(to, from, size);
    if (size >= 8) return copy_ends<8>(to, from, size);
    if (size >= 4) return copy_ends<4>(to, from, size);
    for (std::size_t i = 0; i < size; ++i) to[i] = from[i];
}

// As memcpy; made for texts most of which are short.
inline void copy_text(char* to, const char* from, std::size_t size) {
    constexpr std::size_t short_bytes = 96;
    if (size <= short_bytes)
        copy_short(to, from, size);
    else
        std::memcpy(to, from, size);
}

}  // namespace sluice::bytes
