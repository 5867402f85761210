// Counts the diagonal lines in a block of columns of a recurrence matrix. The matrix is generated row by row as bits
// and not stored. Compiled for several instruction sets; the best one that the processor supports is chosen at run
// time. Pure functions, callable from any thread.
//
// A row of the matrix is a range of the series' sorted values, so its bits in a block are the XOR of two prefix sets:
// prefix[k] has the columns of the block's k smallest values. That is one operation for 512 cells, whatever epsilon is.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/operators/recurrence/line_sums.hpp"
#include "gpu/simd/instruction_set.hpp"

namespace sluice::recurrence {

struct BitBlock {
    static constexpr std::size_t columns = 512, words = columns / 64;

    const std::uint64_t (*prefix)[words];  // 513 sets, aligned to 64 bytes
    const std::uint16_t* below;            // below[r]: the number of the series' r smallest values in the block
    const std::uint32_t* first;            // row i has ones at the sorted values first[i] … end[i] - 1
    const std::uint32_t* end;
    std::size_t rows;         // up to the end of the matrix
    std::size_t own_rows;     // lines that start in these rows
    std::size_t own_columns;  // and columns are counted; the others only continue them
};

// Adds the block's stretches (but not its points) to `diagonal`. l_min is from 1 to shortest_line_max; own_columns +
// l_min is at most 512. The main diagonal counts like the others.
using CountDiagonals = void (*)(const BitBlock& block, std::uint32_t l_min, Stretches& diagonal);

CountDiagonals count_diagonals(simd::InstructionSet set);

}  // namespace sluice::recurrence
