// 32 bytes in a register, for sources that are compiled for AVX2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

namespace sluice::bytes {
namespace {

class Bytes32 {
public:
    static constexpr std::size_t width = 32;

    static Bytes32 load(const char* at) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)); }

    // Which bytes are so; to be combined with | and &, and asked by mask().
    Bytes32 is(char c) const { return _mm256_cmpeq_epi8(bytes_, _mm256_set1_epi8(c)); }
    Bytes32 is_control() const { return _mm256_cmpeq_epi8(bytes_, _mm256_min_epu8(bytes_, _mm256_set1_epi8(0x1f))); }
    Bytes32 is_digit() const {
        const __m256i digit = _mm256_sub_epi8(bytes_, _mm256_set1_epi8('0'));
        return _mm256_cmpeq_epi8(digit, _mm256_min_epu8(digit, _mm256_set1_epi8(9)));
    }
    Bytes32 is_control_or_not_ascii() const { return _mm256_cmpgt_epi8(_mm256_set1_epi8(0x20), bytes_); }
    Bytes32 operator|(Bytes32 other) const { return _mm256_or_si256(bytes_, other.bytes_); }
    Bytes32 operator&(Bytes32 other) const { return _mm256_and_si256(bytes_, other.bytes_); }

    Bytes32 except(Bytes32 other) const { return _mm256_andnot_si256(other.bytes_, bytes_); }

    // A bit for each byte, the first the lowest.
    std::uint32_t mask() const { return static_cast<std::uint32_t>(_mm256_movemask_epi8(bytes_)); }
    bool has_any() const { return _mm256_testz_si256(bytes_, bytes_) == 0; }
    bool is_ascii() const { return mask() == 0; }

    Bytes32 operator^(Bytes32 other) const { return _mm256_xor_si256(bytes_, other.bytes_); }
    Bytes32 minus(char c) const { return _mm256_subs_epu8(bytes_, _mm256_set1_epi8(c)); }  // at least 0
    Bytes32 top_bits() const { return _mm256_and_si256(bytes_, _mm256_set1_epi8(static_cast<char>(0x80))); }
    // What tables have for the lower and for the upper four bits of each byte.
    Bytes32 by_lower_half(const std::uint8_t (&table)[16]) const {
        return _mm256_shuffle_epi8(twice(table), _mm256_and_si256(bytes_, _mm256_set1_epi8(15)));
    }
    Bytes32 by_upper_half(const std::uint8_t (&table)[16]) const {
        return _mm256_shuffle_epi8(twice(table), _mm256_and_si256(_mm256_srli_epi16(bytes_, 4), _mm256_set1_epi8(15)));
    }

private:
    static __m256i twice(const std::uint8_t (&table)[16]) {
        return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table)));
    }

    Bytes32(__m256i bytes) : bytes_(bytes) {}

    __m256i bytes_;
};

}  // namespace
}  // namespace sluice::bytes
