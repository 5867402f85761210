// Compiled with the instruction set in its name; see bit_rows_loops.hpp.
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

}  // namespace sluice::recurrence::avx2
