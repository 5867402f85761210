// The kernels of bit_rows.hpp and microstates.hpp, compiled with the instruction set in this file's name; see
// bit_rows_loops.hpp.
#include <cstdint>
#include <immintrin.h>

#include "gpu/operators/recurrence/bit_rows.hpp"

namespace sluice::recurrence::avx2 {

using Words = std::uint64_t __attribute__((vector_size(32)));

// Looks up both halves of each byte in a table of sixteen counts, then adds the bytes of each word.
inline void add_popcount(const Words& x, Words& sums) {
    const __m256i counts = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                            0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i nibble = _mm256_set1_epi8(15);
    const auto bits = reinterpret_cast<__m256i>(x);
    const __m256i low = _mm256_shuffle_epi8(counts, _mm256_and_si256(bits, nibble));
    const __m256i high = _mm256_shuffle_epi8(counts, _mm256_and_si256(_mm256_srli_epi16(bits, 4), nibble));
    sums += reinterpret_cast<Words>(_mm256_sad_epu8(_mm256_add_epi8(low, high), _mm256_setzero_si256()));
}

#include "gpu/operators/recurrence/bit_rows_loops.hpp"

void window_rows(const double* y, const double* x, std::uint32_t size, double epsilon, std::uint32_t* rows) {
    double columns[32] = {};
    for (std::uint32_t c = 0; c < size; ++c) columns[c] = x[c];
    const std::uint32_t inside = size == 32 ? 0xffffffffu : (1u << size) - 1;
    const __m256d threshold = _mm256_set1_pd(epsilon), sign = _mm256_set1_pd(-0.0);
    for (std::uint32_t r = 0; r < size; ++r) {
        const __m256d value = _mm256_set1_pd(y[r]);
        std::uint32_t bits = 0;
        for (std::uint32_t k = 0; k < 8; ++k) {
            const __m256d distance = _mm256_andnot_pd(sign, _mm256_sub_pd(value, _mm256_loadu_pd(columns + 4 * k)));
            const int less = _mm256_movemask_pd(_mm256_cmp_pd(distance, threshold, _CMP_LT_OQ));
            bits |= static_cast<std::uint32_t>(less) << 4 * k;
        }
        rows[r] = bits & inside;
    }
}

}  // namespace sluice::recurrence::avx2
