// Compiled with the instruction set in its name; see myers_kernel_loops.hpp.
#include <immintrin.h>

#include "gpu/operators/edits/myers_kernel.hpp"

namespace sluice::edits::avx2 {

// Operations that do not depend on the size of a lane.
struct Bits {
    using Vector = __m256i;

    static Vector load(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }
    static void store(void* to, Vector a) { _mm256_storeu_si256(static_cast<__m256i*>(to), a); }
    static Vector both(Vector a, Vector b) { return _mm256_and_si256(a, b); }
    static Vector either(Vector a, Vector b) { return _mm256_or_si256(a, b); }
    static Vector xor_or(Vector a, Vector b, Vector c) { return _mm256_or_si256(_mm256_xor_si256(a, b), c); }
    static Vector or_nor(Vector a, Vector b, Vector c) {
        return _mm256_or_si256(a, _mm256_andnot_si256(_mm256_or_si256(b, c), _mm256_set1_epi32(-1)));
    }
    static Vector where(Vector condition, Vector a, Vector b) { return _mm256_blendv_epi8(b, a, condition); }
};

template <class T>
struct Lanes;

template <>
struct Lanes<std::uint32_t> : Bits {
    using Word = std::uint32_t;
    static constexpr std::size_t lanes = 8;

    static Vector all(Word a) { return _mm256_set1_epi32(static_cast<int>(a)); }
    static Vector sum(Vector a, Vector b) { return _mm256_add_epi32(a, b); }
    static Vector difference(Vector a, Vector b) { return _mm256_sub_epi32(a, b); }
    static Vector doubled(Vector a) { return _mm256_add_epi32(a, a); }
    static Vector highest_bit(Vector a) { return _mm256_srli_epi32(a, 31); }
    static Vector shifted_in(Vector a, Vector below) { return either(doubled(a), highest_bit(below)); }
    static Vector lesser(Vector a, Vector b) { return _mm256_min_epi32(a, b); }
    static Vector greater(Vector a, Vector b) { return _mm256_cmpgt_epi32(a, b); }
    static Vector not_greater(Vector a, Vector b) { return _mm256_andnot_si256(greater(a, b), all(~0u)); }
    static bool any_not_greater(Vector a, Vector b) { return _mm256_movemask_epi8(greater(a, b)) != -1; }
    static bool none_greater(Vector a, Vector b) { return _mm256_movemask_epi8(greater(a, b)) == 0; }
    static Vector ones(Vector a) {
        Word words[lanes];
        store(words, a);
        for (Word& word : words) word = static_cast<Word>(__builtin_popcount(word));
        return load(words);
    }
};

template <>
struct Lanes<std::uint64_t> : Bits {
    using Word = std::uint64_t;
    static constexpr std::size_t lanes = 4;

    static Vector all(Word a) { return _mm256_set1_epi64x(static_cast<long long>(a)); }
    static Vector sum(Vector a, Vector b) { return _mm256_add_epi64(a, b); }
    static Vector difference(Vector a, Vector b) { return _mm256_sub_epi64(a, b); }
    static Vector doubled(Vector a) { return _mm256_add_epi64(a, a); }
    static Vector highest_bit(Vector a) { return _mm256_srli_epi64(a, 63); }
    static Vector shifted_in(Vector a, Vector below) { return either(doubled(a), highest_bit(below)); }
    static Vector greater(Vector a, Vector b) { return _mm256_cmpgt_epi64(a, b); }
    static Vector lesser(Vector a, Vector b) { return where(greater(a, b), b, a); }
    static Vector not_greater(Vector a, Vector b) { return _mm256_andnot_si256(greater(a, b), all(~Word{0})); }
    static bool any_not_greater(Vector a, Vector b) { return _mm256_movemask_epi8(greater(a, b)) != -1; }
    static bool none_greater(Vector a, Vector b) { return _mm256_movemask_epi8(greater(a, b)) == 0; }
    static Vector ones(Vector a) {
        Word words[lanes];
        store(words, a);
        for (Word& word : words) word = static_cast<Word>(__builtin_popcountll(word));
        return load(words);
    }
};

#include "gpu/operators/edits/myers_kernel_loops.hpp"

template MyersKernel<std::uint32_t> kernel<std::uint32_t>(Width);
template MyersKernel<std::uint64_t> kernel<std::uint64_t>(Width);

}  // namespace sluice::edits::avx2
