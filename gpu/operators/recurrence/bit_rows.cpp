#include "gpu/operators/recurrence/bit_rows.hpp"

namespace sluice::recurrence {

namespace portable {

using Words = std::uint64_t __attribute__((vector_size(16)));

// By halves: counts of two bits, of four, of a byte, of the word.
inline void add_popcount(const Words& x, Words& sums) {
    Words c = x - ((x >> 1) & 0x5555555555555555);
    c = (c & 0x3333333333333333) + ((c >> 2) & 0x3333333333333333);
    c = (c + (c >> 4)) & 0x0f0f0f0f0f0f0f0f;
    c += c >> 8;
    c += c >> 16;
    sums += (c + (c >> 32)) & 0x7f;
}

#include "gpu/operators/recurrence/bit_rows_loops.hpp"

}  // namespace portable

#ifdef SLUICE_X86_KERNELS
namespace avx2 {
void count(const BitBlock&, std::uint32_t, std::uint32_t, Stretches&, Stretches&);
}
namespace avx512 {
void count(const BitBlock&, std::uint32_t, std::uint32_t, Stretches&, Stretches&);
}
#endif

BitRowKernel best_bit_row_kernel() {
#ifdef SLUICE_X86_KERNELS
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vpopcntdq")) return BitRowKernel::avx512;
    if (__builtin_cpu_supports("avx2")) return BitRowKernel::avx2;
#endif
    return BitRowKernel::portable;
}

CountLines count_lines([[maybe_unused]] BitRowKernel kernel) {
#ifdef SLUICE_X86_KERNELS
    if (kernel == BitRowKernel::avx512) return avx512::count;
    if (kernel == BitRowKernel::avx2) return avx2::count;
#endif
    return portable::count;
}

}  // namespace sluice::recurrence
