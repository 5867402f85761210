// The work of one block of the kernels for the published algorithms (asm_kernels.hpp). Plain values.
#pragma once

#include <cstdint>

#include "gpu/tools/distance/asm.hpp"

namespace sluice::edits {

// A row is a thread, so the most rows are the most threads of a block.
static_assert(asm_pattern_max == 1024);

// xs[x … x + m - 1] is the pattern, ys[y … y + n - 1] the text or a part of it. results[result] becomes the minimum of
// its old value and their distance. 0 < m <= asm_pattern_max; n < 2^31 - 2^16. w-Shuffle: m times the cost
// of a deletion is at most shuffle_distance_max.
struct AsmTask {
    std::uint64_t x, y;
    std::uint32_t m, n, result;
};

}  // namespace sluice::edits
