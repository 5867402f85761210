// Myers' bit-vectors on the device: the differences down a column of `words` * 32 rows of the matrix, in registers.
#pragma once

#include <cstdint>

namespace sluice::edits {

// What crosses a row to the next column, in the highest bits.
struct Across {
    std::uint32_t plus, minus;
};

// sum = a + b as one number of `words` words, lowest first.
template <int words>
__device__ __forceinline__ void add_words(std::uint32_t (&sum)[words], const std::uint32_t (&a)[words],
                                          const std::uint32_t (&b)[words]) {
    if constexpr (words == 1) {
        sum[0] = a[0] + b[0];
    } else {
        asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(sum[0]) : "r"(a[0]), "r"(b[0]));
#pragma unroll
        for (int w = 1; w + 1 < words; ++w)
            asm volatile("addc.cc.u32 %0, %1, %2;" : "=r"(sum[w]) : "r"(a[w]), "r"(b[w]));
        asm volatile("addc.u32 %0, %1, %2;" : "=r"(sum[words - 1]) : "r"(a[words - 1]), "r"(b[words - 1]));
    }
}

template <int words>
struct BitColumn {
    std::uint32_t plus[words], minus[words];

    // The first `padding` rows are padding (match_table.hpp) if `padding` is above 0.
    __device__ __forceinline__ void begin(int padding) {
#pragma unroll
        for (int w = 0; w < words; ++w, padding -= 32) {
            plus[w] = padding <= 0 ? ~0u : padding >= 32 ? 0u : ~0u << padding;
            minus[w] = 0;
        }
    }

    // Advances one column to the right; match[w] has the places of the column's character. Ten or so operations a word.
    __device__ __forceinline__ Across step(std::uint32_t (&match)[words], Across above) {
        std::uint32_t vertical[words], both[words], sum[words];
#pragma unroll
        for (int w = 0; w < words; ++w) vertical[w] = match[w] | minus[w];
        match[0] |= above.minus >> 31;
#pragma unroll
        for (int w = 0; w < words; ++w) both[w] = match[w] & plus[w];
        add_words(sum, both, plus);
#pragma unroll
        for (int w = 0; w < words; ++w) {
            const std::uint32_t diagonal = (sum[w] ^ plus[w]) | match[w];
            const Across across{minus[w] | ~(diagonal | plus[w]), plus[w] & diagonal};
            const std::uint32_t shifted_plus = __funnelshift_l(above.plus, across.plus, 1);
            const std::uint32_t shifted_minus = __funnelshift_l(above.minus, across.minus, 1);
            plus[w] = shifted_minus | ~(vertical[w] | shifted_plus);
            minus[w] = shifted_plus & vertical[w];
            above = across;
        }
        return above;
    }
};

}  // namespace sluice::edits
