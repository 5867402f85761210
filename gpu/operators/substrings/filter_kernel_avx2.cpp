// Compiled for AVX2. Gathers gain nothing there, so the grams' loop is the portable one.
#include <immintrin.h>

#include "gpu/operators/substrings/filter_kernel_portable.hpp"

namespace sluice::substrings {

namespace {

template <std::size_t Bytes>
std::size_t bytes_of(const ByteFilter& filter, const char* text, std::size_t text_size, std::size_t begin,
                     std::size_t end, std::uint32_t* places) {
    const __m256i low_half = _mm256_set1_epi8(15);
    __m256i low[Bytes], high[Bytes];
    for (std::size_t k = 0; k < Bytes; ++k) {
        low[k] = _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(filter.by_low_half[k])));
        high[k] = _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(filter.by_high_half[k])));
    }
    const auto pass = [&](std::size_t place) {  // a bit for each place from there on
        __m256i sets = _mm256_set1_epi8(-1);
        for (std::size_t k = 0; k < Bytes; ++k) {
            const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + place + k));
            const __m256i halves[] = {_mm256_and_si256(bytes, low_half),
                                      _mm256_and_si256(_mm256_srli_epi16(bytes, 4), low_half)};
            sets = _mm256_and_si256(sets, _mm256_and_si256(_mm256_shuffle_epi8(low[k], halves[0]),
                                                           _mm256_shuffle_epi8(high[k], halves[1])));
        }
        const __m256i nothing = _mm256_cmpeq_epi8(sets, _mm256_setzero_si256());
        return ~static_cast<std::uint32_t>(_mm256_movemask_epi8(nothing));
    };
    std::size_t count = 0, place = begin;
    const auto append = [&](std::size_t first, std::uint32_t passed) {
        for (; passed != 0; passed &= passed - 1)
            places[count++] = static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(__builtin_ctz(passed));
    };
    for (; place + 32 <= end; place += 32) append(place, pass(place));
    if (place < end && end - begin >= 32) {  // the last 32 places, without those before `place`
        append(end - 32, pass(end - 32) & ~0u << (place - (end - 32)));
        place = end;
    }
    return count + portable_bytes(filter, text, text_size, place, end, places + count);
}

std::size_t bytes(const ByteFilter& filter, const char* text, std::size_t text_size, std::size_t begin, std::size_t end,
                  std::uint32_t* places) {
    static constexpr FilterScan<ByteFilter> scans[] = {bytes_of<1>, bytes_of<2>, bytes_of<3>, bytes_of<4>,
                                                       bytes_of<5>, bytes_of<6>, bytes_of<7>, bytes_of<8>};
    return scans[filter.bytes - 1](filter, text, text_size, begin, end, places);
}

}  // namespace

namespace avx2 {
extern const FilterKernels filter_kernels{portable_grams, bytes};
}

}  // namespace sluice::substrings
