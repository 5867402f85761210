// The inner loop of ClusterRows: ANDs the masks of a block's rows. Compiled for several instruction sets. Pure
// functions; any thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/simd/instruction_set.hpp"

namespace sluice::cpu {

struct ClusterHit {
    std::uint32_t row = 0, word = 0, events = 0;
};

// Rows first_row … first_row + rows - 1. Literal j of the block's row r is columns[first_column + j * rows + r].
struct ClusterBlock {
    static constexpr std::size_t rows_max = 256;

    std::size_t first_column = 0;
    std::uint32_t first_row = 0;
    std::uint32_t access = 0;  // a literal that each of the rows contains or implies
    std::uint16_t rows = 0, literals = 0;
    bool implied = false;
};

// Writes a hit for each row and word whose events are not 0, and returns the number of hits. Masks are masks[words *
// literal + w]; words is 1, 2, 4, 8 or 16; `hits` has room for rows * words.
template <class Column>
using ClusterKernel = std::size_t (*)(const ClusterBlock& block, const Column* columns, const std::uint32_t* masks,
                                      std::size_t words, ClusterHit* hits);

// Instantiated for std::uint16_t and std::uint32_t.
template <class Column>
ClusterKernel<Column> cluster_kernel(simd::InstructionSet set);

}  // namespace sluice::cpu
