// Compiled with the instruction set in its name; see tile_kernel.hpp.
#include <algorithm>
#include <array>
#include <immintrin.h>
#include <limits>

#include "gpu/operators/alignment/lanes/lane_kernel.hpp"
#include "gpu/operators/alignment/lanes/tile_kernel.hpp"

namespace sluice::alignment::avx512 {

namespace {

#include "gpu/operators/alignment/lanes/lanes_avx512.hpp"
#include "gpu/operators/alignment/lanes/tile_loops.hpp"

constexpr std::size_t rows = 128;

void run_words(TileTask& task) { Tile<Lanes16, rows>(task).run(); }
void run_longs(TileTask& task) { Tile<Lanes32, rows>(task).run(); }

}  // namespace

extern const TileKernels tile_kernels{rows, run_words, run_longs};

}  // namespace sluice::alignment::avx512
