// What tiles.cpp and its kernels share: tile_loops.hpp is the loop, lanes_*.hpp the vectors, tiles_*.cpp the two
// together for an instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/operators/alignment/many.hpp"
#include "gpu/operators/alignment/scheme.hpp"

namespace sluice::alignment {

constexpr std::size_t tile_columns = 4096;
constexpr std::int32_t tile_floor = -(1 << 30);  // minus infinity

// At most as many rows as the kernels say and tile_columns columns, with what its neighbours left at its borders.
struct TileTask {
    const Scheme& scheme;
    Codes query, text;                        // of the tile
    std::int32_t corner = 0;                  // H of the row above and the column before
    std::int32_t *h = nullptr, *f = nullptr;  // [column]: H of the row above, F of the first; then of the next tile
    std::int32_t *left_h = nullptr, *e = nullptr;  // [row]: H of the column before, E of the first; then the next one's
    std::int32_t base = 0;                         // what lanes of 16 bits leave out of each score

    std::int32_t floor = 0;  // no cell is below: 0 if local, else tile_floor

    // The best before, and then the tile's if that is better, with the row and column (from 1) of one such cell.
    std::int32_t best = 0;
    std::uint32_t query_end = 0, text_end = 0;
};

struct TileKernels {
    std::size_t rows;
    void (*words)(TileTask&);  // 16 bits, saturating; null: there is none
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
