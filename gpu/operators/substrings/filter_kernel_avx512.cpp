// Compiled for AVX-512 with VBMI and VBMI2. Tests 64 places at once; the ends of texts are read with masked loads.
#include <algorithm>
#include <array>
#include <immintrin.h>

#include "gpu/operators/substrings/filter_kernel.hpp"

namespace sluice::substrings {

namespace {

// The 64 bytes at text[at], with zeros past the end of the text.
inline __m512i load(const char* text, std::size_t text_size, std::size_t at) {
    if (at + 64 <= text_size) return _mm512_loadu_si512(text + at);
    const unsigned left = at < text_size ? static_cast<unsigned>(text_size - at) : 0;
    return _mm512_maskz_loadu_epi8(_bzhi_u64(~0ull, left), text + at);
}

// Appends the places of set bits, without a branch that depends on their positions or (up to 16) their number.
inline std::size_t append(std::uint32_t* places, std::size_t count, std::size_t place, std::uint64_t passed) {
    alignas(64) static constexpr std::array<std::uint8_t, 64> order = [] {
        std::array<std::uint8_t, 64> all{};
        for (std::uint8_t i = 0; i < 64; ++i) all[i] = i;
        return all;
    }();
    const __m512i first = _mm512_set1_epi32(static_cast<int>(place));
    const __m512i set = _mm512_maskz_compress_epi8(passed, _mm512_load_si512(order.data()));
    _mm512_storeu_si512(places + count, _mm512_add_epi32(first, _mm512_cvtepu8_epi32(_mm512_castsi512_si128(set))));
    const auto size = static_cast<std::size_t>(__builtin_popcountll(passed));
    if (size > 16) {
        alignas(64) std::uint8_t list[64];
        _mm512_store_si512(list, set);
        for (std::size_t i = 16; i < size; ++i) places[count + i] = static_cast<std::uint32_t>(place) + list[i];
    }
    return count + size;
}

// Word w of a load at place + r is the first word of the gram at place + r + 4 * w. So one load for each r below 4 that
// is a multiple of the stride, and one for each further word of the gram, cover all grams that begin in 64 bytes.
template <int Words, int Stride>
std::size_t grams_of(const GramFilter& filter, const char* text, std::size_t text_size, std::size_t begin,
                     std::size_t end, std::uint32_t* places) {
    const __m512i last_mask = _mm512_set1_epi32(static_cast<int>(filter.gram.last_mask));
    const __m128i shift = _mm_cvtsi32_si128(static_cast<int>(filter.shift));
    const __m512i one = _mm512_set1_epi32(1);
    std::size_t count = 0;
    for (std::size_t block = begin; block < end; block += 64) {
        std::uint64_t passed = 0;
        for (std::size_t r = 0; r < 4 && block + r < end; r += Stride) {
            __m512i hash = _mm512_setzero_si512();
            for (int i = 0; i < Words; ++i) {
                __m512i word = load(text, text_size, block + r + 4 * static_cast<std::size_t>(i));
                if (i == Words - 1) word = _mm512_and_si512(word, last_mask);
                const __m512i multiplier = _mm512_set1_epi32(static_cast<int>(window_multiplier(i)));
                hash = _mm512_add_epi32(hash, _mm512_mullo_epi32(word, multiplier));
            }
            const __m512i bit = _mm512_srl_epi32(hash, shift);
            const __m512i found = _mm512_i32gather_epi32(_mm512_srli_epi32(bit, 5), filter.bitmap, 4);
            const __mmask16 set = _mm512_test_epi32_mask(_mm512_rorv_epi32(found, bit), one);
            passed |= _pdep_u64(set, 0x1111111111111111u << r);
        }
        passed = _bzhi_u64(passed, static_cast<unsigned>(std::min<std::size_t>(end - block, 64)));
        if (passed != 0) count = append(places, count, block, passed);
    }
    return count;
}

template <int Words>
std::size_t grams_of_words(const GramFilter& filter, const char* text, std::size_t text_size, std::size_t begin,
                           std::size_t end, std::uint32_t* places) {
    const auto scan = filter.stride == 1   ? grams_of<Words, 1>
                      : filter.stride == 2 ? grams_of<Words, 2>
                                           : grams_of<Words, 4>;
    return scan(filter, text, text_size, begin, end, places);
}

std::size_t grams(const GramFilter& filter, const char* text, std::size_t text_size, std::size_t begin, std::size_t end,
                  std::uint32_t* places) {
    static constexpr FilterScan<GramFilter> scans[] = {grams_of_words<1>, grams_of_words<2>, grams_of_words<3>,
                                                       grams_of_words<4>};
    return scans[filter.gram.words() - 1](filter, text, text_size, begin, end, places);
}

// The sets that have the windows at `at`, of which `left` bytes are in the text: at least Bytes, and below 256.
template <std::size_t Bytes>
__m512i sets_of_last(const ByteFilter& filter, const char* at, std::size_t left) {
    __m512i sets = _mm512_set1_epi8(-1);
    for (std::size_t k = 0; k < Bytes; ++k) {
        const __m512i bytes = _mm512_maskz_loadu_epi8(_bzhi_u64(~0ull, static_cast<unsigned>(left - k)), at + k);
        sets = _mm512_and_si512(sets, _mm512_permutexvar_epi8(bytes, _mm512_load_si512(filter.by_low_bits[k])));
    }
    return sets;
}

template <std::size_t Bytes>
__m512i sets_of(const __m512i (&table)[Bytes], const char* at) {
    __m512i sets = _mm512_permutexvar_epi8(_mm512_loadu_si512(at), table[0]);
    for (std::size_t k = 1; k < Bytes; ++k)
        sets = _mm512_and_si512(sets, _mm512_permutexvar_epi8(_mm512_loadu_si512(at + k), table[k]));
    return sets;
}

template <std::size_t Bytes>
std::size_t bytes_of(const ByteFilter& filter, const char* text, std::size_t text_size, std::size_t begin,
                     std::size_t end, std::uint32_t* places) {
    std::size_t count = 0, place = begin;
    // Two vectors that lie entirely within the text are decided with one branch.
    if (place + 128 <= end && place + 128 + Bytes - 1 <= text_size) {
        __m512i table[Bytes];
        for (std::size_t k = 0; k < Bytes; ++k) table[k] = _mm512_load_si512(filter.by_low_bits[k]);
        for (; place + 128 <= end && place + 128 + Bytes - 1 <= text_size; place += 128) {
            const __m512i sets[] = {sets_of(table, text + place), sets_of(table, text + place + 64)};
            const __m512i either = _mm512_or_si512(sets[0], sets[1]);
            if (_mm512_test_epi8_mask(either, either) == 0) continue;
            count = append(places, count, place, _mm512_test_epi8_mask(sets[0], sets[0]));
            count = append(places, count, place + 64, _mm512_test_epi8_mask(sets[1], sets[1]));
        }
    }
    for (; place < end; place += 64) {
        const __m512i sets = sets_of_last<Bytes>(filter, text + place, std::min<std::size_t>(text_size - place, 128));
        const auto valid = _bzhi_u64(~0ull, static_cast<unsigned>(std::min<std::size_t>(end - place, 64)));
        const std::uint64_t passed = _mm512_mask_test_epi8_mask(valid, sets, sets);
        if (passed != 0) count = append(places, count, place, passed);
    }
    return count;
}

std::size_t bytes(const ByteFilter& filter, const char* text, std::size_t text_size, std::size_t begin, std::size_t end,
                  std::uint32_t* places) {
    static constexpr FilterScan<ByteFilter> scans[] = {bytes_of<1>, bytes_of<2>, bytes_of<3>, bytes_of<4>,
                                                       bytes_of<5>, bytes_of<6>, bytes_of<7>, bytes_of<8>};
    return scans[filter.bytes - 1](filter, text, text_size, begin, end, places);
}

}  // namespace

namespace avx512 {
extern const FilterKernels filter_kernels{grams, bytes};
}

}  // namespace sluice::substrings
