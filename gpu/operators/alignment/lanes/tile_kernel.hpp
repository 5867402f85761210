// Shared by tiles.cpp and its kernels: tile_loops.hpp is the loop, and kernels_*.cpp have the vectors of an instruction
// set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/operators/alignment/scheme/instruction_set.hpp"
#include "gpu/operators/alignment/scheme/scheme.hpp"

namespace sluice::alignment {

constexpr std::size_t tile_columns = 4096;
constexpr std::int32_t tile_floor = -(1 << 30);  // minus infinity

// A tile of at most TileKernels::rows rows and tile_columns columns, with the borders that its neighbours left.
struct TileTask {
    const Scheme& scheme;
    Codes query, text;        // of the tile
    std::int32_t corner = 0;  // H of the row above and the column before
    // The borders. On entry: for each column H of the row above and F of the first row, for each row H of the column
    // before and E of the first column. On return: the same for the next tiles below and to the right.
    std::int32_t *h = nullptr, *f = nullptr;       // [column]
    std::int32_t *left_h = nullptr, *e = nullptr;  // [row]
    std::int32_t base = 0;                         // subtracted from each score that a 16-bit lane holds

    std::int32_t floor = 0;  // lower bound of all cells: 0 if local, else tile_floor

    // The best score so far; on return the tile's if that is better, with the row and column (from 1) of one such cell.
    std::int32_t best = 0;
    std::uint32_t query_end = 0, text_end = 0;
};

struct TileKernels {
    std::size_t rows;
    void (*words)(TileTask&);  // 16 bits, saturating; null if there is none
    void (*longs)(TileTask&);
};

const TileKernels& tile_kernels_of(InstructionSet set);

namespace portable {
extern const TileKernels tile_kernels;
}
namespace avx2 {
extern const TileKernels tile_kernels;
}
namespace avx512 {
extern const TileKernels tile_kernels;
}

}  // namespace sluice::alignment
