// Counts the lines in a block of columns of a recurrence matrix, made bit row by bit row and not stored. Compiled for
// several instruction sets; the best one that the processor has is chosen at run time. Pure functions; any thread.
//
// A row of the matrix is a range of the series' sorted values, so its bits in a block are the XOR of two prefix sets:
// prefix[k] has the columns of the block's k smallest values. That is one operation for 512 cells, whatever epsilon.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/operators/recurrence/line_sums.hpp"

namespace sluice::recurrence {

struct BitBlock {
    static constexpr std::size_t columns = 512, words = columns / 64;

    const std::uint64_t (*prefix)[words];  // 513 sets, aligned to 64 bytes
    const std::uint16_t* below;            // below[r]: how many of the series' r smallest values are in the block
    const std::uint32_t* first;            // row i has ones where the sorted values first[i] … end[i] - 1 stand
    const std::uint32_t* end;
    std::size_t rows;         // of the matrix
    std::size_t own_columns;  // lines that start in these are counted; the others only continue diagonals
};

// Adds the block's stretches (not the points) to `vertical` and `diagonal`. v_min and l_min are at most
// shortest_line_max; own_columns + l_min is at most 512. The main diagonal is counted like the others.
using CountLines = void (*)(const BitBlock& block, std::uint32_t v_min, std::uint32_t l_min, Stretches& vertical,
                            Stretches& diagonal);

enum class BitRowKernel : std::uint8_t { portable, avx2, avx512 };

// The best that this processor can do and this build has.
BitRowKernel best_bit_row_kernel();

// One above the best is not to be asked for.
CountLines count_lines(BitRowKernel kernel);

}  // namespace sluice::recurrence
