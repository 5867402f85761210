// 64 bytes in a register, for sources that are compiled for AVX-512.
#pragma once

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

namespace sluice::bytes {
namespace {

// A bit for each byte, the first the lowest.
class Mask64 {
public:
    Mask64(std::uint64_t bits) : bits_(bits) {}
    Mask64 operator|(Mask64 other) const { return bits_ | other.bits_; }
    Mask64 operator&(Mask64 other) const { return bits_ & other.bits_; }
    Mask64 except(Mask64 other) const { return bits_ & ~other.bits_; }
    std::uint64_t mask() const { return bits_; }

private:
    std::uint64_t bits_;
};

class Bytes64 {
public:
    static constexpr std::size_t width = 64;

    static Bytes64 load(const char* at) { return _mm512_loadu_si512(at); }

    // Which bytes are so; to be combined with | and &, and asked by mask().
    Mask64 is(char c) const { return _mm512_cmpeq_epi8_mask(bytes_, _mm512_set1_epi8(c)); }
    Mask64 is_control() const { return _mm512_cmplt_epu8_mask(bytes_, _mm512_set1_epi8(0x20)); }
    Mask64 is_digit() const {
        return _mm512_cmple_epu8_mask(_mm512_sub_epi8(bytes_, _mm512_set1_epi8('0')), _mm512_set1_epi8(9));
    }
    Mask64 is_control_or_not_ascii() const { return _mm512_cmplt_epi8_mask(bytes_, _mm512_set1_epi8(0x20)); }

    bool has_any() const { return _mm512_test_epi8_mask(bytes_, bytes_) != 0; }
    bool is_ascii() const { return _mm512_movepi8_mask(bytes_) == 0; }

    Bytes64 operator|(Bytes64 other) const { return _mm512_or_si512(bytes_, other.bytes_); }
    Bytes64 operator&(Bytes64 other) const { return _mm512_and_si512(bytes_, other.bytes_); }
    Bytes64 operator^(Bytes64 other) const { return _mm512_xor_si512(bytes_, other.bytes_); }
    Bytes64 minus(char c) const { return _mm512_subs_epu8(bytes_, _mm512_set1_epi8(c)); }  // at least 0
    Bytes64 top_bits() const { return _mm512_and_si512(bytes_, _mm512_set1_epi8(static_cast<char>(0x80))); }
    // What tables have for the lower and for the upper four bits of each byte.
    Bytes64 by_lower_half(const std::uint8_t (&table)[16]) const {
        return _mm512_shuffle_epi8(four_times(table), _mm512_and_si512(bytes_, _mm512_set1_epi8(15)));
    }
    Bytes64 by_upper_half(const std::uint8_t (&table)[16]) const {
        return _mm512_shuffle_epi8(four_times(table),
                                   _mm512_and_si512(_mm512_srli_epi16(bytes_, 4), _mm512_set1_epi8(15)));
    }

private:
    static __m512i four_times(const std::uint8_t (&table)[16]) {
        return _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table)));
    }

    Bytes64(__m512i bytes) : bytes_(bytes) {}

    __m512i bytes_;
};

}  // namespace
}  // namespace sluice::bytes
