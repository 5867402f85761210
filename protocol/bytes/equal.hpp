// Whether two short texts are equal, without a call. Pure function; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace sluice::bytes {

// Texts of between sizeof(Word) and twice as many bytes, by two words that may overlap.
template <class Word>
bool are_ends_equal(const char* a, const char* b, std::size_t size) {
    Word first_a, first_b, last_a, last_b;
    std::memcpy(&first_a, a, sizeof(Word));
    std::memcpy(&first_b, b, sizeof(Word));
    std::memcpy(&last_a, a + size - sizeof(Word), sizeof(Word));
    std::memcpy(&last_b, b + size - sizeof(Word), sizeof(Word));
    return ((first_a ^ first_b) | (last_a ^ last_b)) == 0;
}

// As ==; made for names of up to 16 bytes.
inline bool are_equal(std::string_view a, std::string_view b) {
    const std::size_t size = a.size();
    if (size != b.size()) return false;
    if (size > 16) return a == b;
    if (size >= 8) return are_ends_equal<std::uint64_t>(a.data(), b.data(), size);
    if (size >= 4) return are_ends_equal<std::uint32_t>(a.data(), b.data(), size);
    for (std::size_t i = 0; i < size; ++i)
        if (a[i] != b[i]) return false;
    return true;
}

}  // namespace sluice::bytes
