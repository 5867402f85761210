// For every processor; see tile_kernel.hpp.
#include <algorithm>
#include <array>
#include <limits>

#include "gpu/operators/alignment/lanes/lane_kernel.hpp"
#include "gpu/operators/alignment/lanes/tile_kernel.hpp"

namespace sluice::alignment::portable {

namespace {

#include "gpu/operators/alignment/lanes/lanes_portable.hpp"
#include "gpu/operators/alignment/lanes/tile_loops.hpp"

constexpr std::size_t rows = 32;

void run_longs(TileTask& task) { Tile<Lanes32, rows>(task).run(); }

}  // namespace

extern const TileKernels tile_kernels{rows, nullptr, run_longs};

}  // namespace sluice::alignment::portable
