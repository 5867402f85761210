// Compiled with the instruction set in its name.
#include <cstdint>
#include <immintrin.h>

namespace sluice::recurrence::avx512 {

void window_rows(const double* y, const double* x, std::uint32_t size, double epsilon, std::uint32_t* rows) {
    __m512d columns[4];
    __mmask8 inside[4];
    for (std::uint32_t k = 0; k < 4; ++k) {
        const std::uint32_t left = size > 8 * k ? size - 8 * k : 0;
        inside[k] = static_cast<__mmask8>(left >= 8 ? 255 : (1 << left) - 1);
        columns[k] = _mm512_maskz_loadu_pd(inside[k], x + 8 * k);
    }
    const __m512d threshold = _mm512_set1_pd(epsilon);
    for (std::uint32_t r = 0; r < size; ++r) {
        const __m512d value = _mm512_set1_pd(y[r]);
        std::uint32_t bits = 0;
        for (std::uint32_t k = 0; k < 4; ++k) {
            const __m512d distance = _mm512_abs_pd(_mm512_sub_pd(value, columns[k]));
            const auto less = _mm512_mask_cmp_pd_mask(inside[k], distance, threshold, _CMP_LT_OQ);
            bits |= static_cast<std::uint32_t>(less) << 8 * k;
        }
        rows[r] = bits;
    }
}

}  // namespace sluice::recurrence::avx512
