// The published algorithms (asm.hpp) on one core: asm_loops.hpp is the code, compiled for each instruction set by
// asm_lanes*.cpp. Pure functions; thread-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "gpu/operators/edits/costs.hpp"

namespace sluice::edits {

// One pattern x and one part of a text y. The text is stored backwards, so that the rows of an anti-diagonal, which are
// at falling columns, read adjacent characters: character j (1 … n) is y[n - j]. On both sides of the whole text there
// are asm_margin characters that are read but not used.
struct AsmJob {
    const char32_t* x;
    const char32_t* y;
    std::size_t m, n;  // 0 < m <= asm_pattern_max
    // If costs are not unit: the kinds of both (Costs::kind), and the substitutions as [kind of x * kinds_max + kind of
    // y].
    const std::uint8_t* x_kinds;
    const std::uint8_t* y_kinds;
    const std::int32_t* substitution;
    bool unit;
    int deletion, insertion;
    const std::atomic<bool>& stop;  // once true, the result is not needed
};

inline constexpr std::size_t asm_margin = 64;

// The distance of x from a substring of y.
namespace portable {
std::uint32_t o_asm(const AsmJob& job);
std::uint32_t w_scan(const AsmJob& job);
std::uint32_t w_shuffle(const AsmJob& job);
}  // namespace portable
namespace avx2 {
std::uint32_t o_asm(const AsmJob& job);
std::uint32_t w_scan(const AsmJob& job);
std::uint32_t w_shuffle(const AsmJob& job);
}  // namespace avx2
namespace avx512 {
std::uint32_t o_asm(const AsmJob& job);
std::uint32_t w_scan(const AsmJob& job);
std::uint32_t w_shuffle(const AsmJob& job);
}  // namespace avx512

}  // namespace sluice::edits
