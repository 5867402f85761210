#include "gpu/operators/recurrence/bit_rows.hpp"

namespace sluice::recurrence {

namespace portable {

using Words = std::uint64_t __attribute__((vector_size(16)));

// By halves: counts of two bits, of four, of a byte, and of the word.
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
void count(const BitBlock&, std::uint32_t, Stretches&);
}
namespace avx512 {
void count(const BitBlock&, std::uint32_t, Stretches&);
}
#endif

CountDiagonals count_diagonals(simd::InstructionSet set) { return SLUICE_KERNEL(set, count); }

}  // namespace sluice::recurrence
