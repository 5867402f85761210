// Compiled with the instruction set in its name; see bit_rows_loops.hpp.
#include <immintrin.h>

#include "gpu/operators/recurrence/bit_rows.hpp"

namespace sluice::recurrence::avx512 {

using Words = std::uint64_t __attribute__((vector_size(64)));

inline void add_popcount(const Words& x, Words& sums) {
    sums += reinterpret_cast<Words>(_mm512_popcnt_epi64(reinterpret_cast<__m512i>(x)));
}

#include "gpu/operators/recurrence/bit_rows_loops.hpp"

}  // namespace sluice::recurrence::avx512
