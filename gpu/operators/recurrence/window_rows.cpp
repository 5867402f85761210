#include "gpu/operators/recurrence/window_rows.hpp"

#include <cmath>

namespace sluice::recurrence {

namespace portable {

void window_rows(const double* y, const double* x, std::uint32_t size, double epsilon, std::uint32_t* rows) {
    for (std::uint32_t r = 0; r < size; ++r) {
        std::uint32_t bits = 0;
        for (std::uint32_t c = 0; c < size; ++c)
            bits |= static_cast<std::uint32_t>(std::abs(y[r] - x[c]) < epsilon ? 1 : 0) << c;
        rows[r] = bits;
    }
}

}  // namespace portable

#ifdef SLUICE_X86_KERNELS
namespace avx2 {
void window_rows(const double*, const double*, std::uint32_t, double, std::uint32_t*);
}
namespace avx512 {
void window_rows(const double*, const double*, std::uint32_t, double, std::uint32_t*);
}
#endif

WindowRows window_rows(simd::InstructionSet set) { return SLUICE_KERNEL(set, window_rows); }

}  // namespace sluice::recurrence
