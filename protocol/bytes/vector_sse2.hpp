// 16 bytes in a register, on every x86-64 processor. Other processors have no Bytes16. Not for sources that are
// compiled for more: the linker might take what they make of these functions.
#pragma once

#ifdef __SSE2__
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <emmintrin.h>

namespace sluice::bytes {

class Bytes16 {
public:
    static constexpr std::size_t width = 16;

    static Bytes16 load(const char* at) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at)); }
    // The first and the last Half (8 or 4) of `size` bytes, at least Half, and zeros.
    template <std::size_t Half>
    static Bytes16 load_ends(const char* at, std::size_t size) {
        __m128i first = _mm_setzero_si128(), last = first;
        std::memcpy(&first, at, Half);
        std::memcpy(&last, at + size - Half, Half);
        return Half == 8 ? _mm_unpacklo_epi64(first, last) : _mm_unpacklo_epi32(first, last);
    }

    // Which bytes are so; to be combined with |, and asked by mask().
    Bytes16 is(char c) const { return _mm_cmpeq_epi8(bytes_, _mm_set1_epi8(c)); }
    Bytes16 is_control() const { return _mm_cmpeq_epi8(bytes_, _mm_min_epu8(bytes_, _mm_set1_epi8(0x1f))); }
    Bytes16 is_control_or_not_ascii() const { return _mm_cmplt_epi8(bytes_, _mm_set1_epi8(0x20)); }
    Bytes16 operator|(Bytes16 other) const { return _mm_or_si128(bytes_, other.bytes_); }
    Bytes16 except(Bytes16 other) const { return _mm_andnot_si128(other.bytes_, bytes_); }

    // A bit for each byte, the first the lowest.
    std::uint32_t mask() const { return static_cast<std::uint32_t>(_mm_movemask_epi8(bytes_)); }

private:
    Bytes16(__m128i bytes) : bytes_(bytes) {}

    __m128i bytes_;
};

}  // namespace sluice::bytes
#endif
