// The inner loop of ScanRows: ANDs the masks of a block's rows. Compiled for several instruction sets; the best one
// that the processor has is chosen at run time. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice {

struct ScanHit {
    std::uint32_t row = 0, word = 0, events = 0;
};

// Rows first_row … first_row + rows - 1. Literal j of the block's row r is columns[first_column + j * rows + r].
struct ScanBlock {
    static constexpr std::size_t rows_max = 256;

    std::size_t first_column = 0;
    std::uint32_t first_row = 0;
    std::uint32_t access = 0;  // a literal that belongs to each of the rows, or that one of theirs implies
    std::uint16_t rows = 0, literals = 0;
    bool implied = false;
};

// Writes a hit for each row and word whose events are not 0, and says how many. `masks[words * literal + w]`; words is
// 1, 2, 4, 8 or 16; there is room for rows * words hits.
template <class Column>
using ScanKernel = std::size_t (*)(const ScanBlock& block, const Column* columns, const std::uint32_t* masks,
                                   std::size_t words, ScanHit* hits);

enum class InstructionSet : std::uint8_t { portable, avx2, avx512 };

// The best that this processor can do and this build has.
InstructionSet best_instruction_set();

// For std::uint16_t and std::uint32_t. A set above the best one is not to be asked for.
template <class Column>
ScanKernel<Column> scan_kernel(InstructionSet set);

}  // namespace sluice
