// The kernels of bit_rows.hpp and microstates.hpp, compiled with the instruction set in this file's name; see
// bit_rows_loops.hpp.
#include <cstdint>
#include <immintrin.h>

#include "gpu/operators/recurrence/bit_rows.hpp"

namespace sluice::recurrence::avx512 {

using Words = std::uint64_t __attribute__((vector_size(64)));

inline void add_popcount(const Words& x, Words& sums) {
    sums += reinterpret_cast<Words>(_mm512_popcnt_epi64(reinterpret_cast<__m512i>(x)));
}

#include "gpu/operators/recurrence/bit_rows_loops.hpp"

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
