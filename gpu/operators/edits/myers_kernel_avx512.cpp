// Compiled with the instruction set in its name; see myers_kernel_loops.hpp.
#include <immintrin.h>

#include "gpu/operators/edits/myers_kernel.hpp"

namespace sluice::edits::avx512 {

// Operations that do not depend on the size of a lane. A ternary operation is given by its table of eight results.
struct Bits {
    using Vector = __m512i;

    static Vector load(const void* from) { return _mm512_loadu_si512(from); }
    static void store(void* to, Vector a) { _mm512_storeu_si512(to, a); }
    static Vector both(Vector a, Vector b) { return _mm512_and_si512(a, b); }
    static Vector either(Vector a, Vector b) { return _mm512_or_si512(a, b); }
    static Vector xor_or(Vector a, Vector b, Vector c) { return _mm512_ternarylogic_epi64(a, b, c, 0xBE); }
    static Vector or_nor(Vector a, Vector b, Vector c) { return _mm512_ternarylogic_epi64(a, b, c, 0xF1); }
};

template <class T>
struct Lanes;

template <>
struct Lanes<std::uint32_t> : Bits {
    using Word = std::uint32_t;
    static constexpr std::size_t lanes = 16;

    static Vector all(Word a) { return _mm512_set1_epi32(static_cast<int>(a)); }
    static Vector sum(Vector a, Vector b) { return _mm512_add_epi32(a, b); }
    static Vector difference(Vector a, Vector b) { return _mm512_sub_epi32(a, b); }
    static Vector doubled(Vector a) { return _mm512_add_epi32(a, a); }
    static Vector highest_bit(Vector a) { return _mm512_srli_epi32(a, 31); }
    static Vector shifted_in(Vector a, Vector below) { return _mm512_shldi_epi32(a, below, 1); }
    static Vector lesser(Vector a, Vector b) { return _mm512_min_epi32(a, b); }
    static __mmask16 not_greater(Vector a, Vector b) { return _mm512_cmple_epi32_mask(a, b); }
    static bool any_not_greater(Vector a, Vector b) { return not_greater(a, b) != 0; }
    static bool none_greater(Vector a, Vector b) { return not_greater(a, b) == 0xFFFF; }
    static Vector where(__mmask16 condition, Vector a, Vector b) { return _mm512_mask_mov_epi32(b, condition, a); }
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
    static constexpr std::size_t lanes = 8;

    static Vector all(Word a) { return _mm512_set1_epi64(static_cast<long long>(a)); }
    static Vector sum(Vector a, Vector b) { return _mm512_add_epi64(a, b); }
    static Vector difference(Vector a, Vector b) { return _mm512_sub_epi64(a, b); }
    static Vector doubled(Vector a) { return _mm512_add_epi64(a, a); }
    static Vector highest_bit(Vector a) { return _mm512_srli_epi64(a, 63); }
    static Vector shifted_in(Vector a, Vector below) { return _mm512_shldi_epi64(a, below, 1); }
    static Vector lesser(Vector a, Vector b) { return _mm512_min_epi64(a, b); }
    static __mmask8 not_greater(Vector a, Vector b) { return _mm512_cmple_epi64_mask(a, b); }
    static bool any_not_greater(Vector a, Vector b) { return not_greater(a, b) != 0; }
    static bool none_greater(Vector a, Vector b) { return not_greater(a, b) == 0xFF; }
    static Vector where(__mmask8 condition, Vector a, Vector b) { return _mm512_mask_mov_epi64(b, condition, a); }
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

}  // namespace sluice::edits::avx512
