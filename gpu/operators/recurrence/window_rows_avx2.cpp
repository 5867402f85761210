// Compiled with the instruction set in its name.
#include <cstdint>
#include <immintrin.h>

namespace sluice::recurrence::avx2 {

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
