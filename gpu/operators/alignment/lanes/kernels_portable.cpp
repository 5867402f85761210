// The kernels of this folder for every processor; see lane_kernel.hpp, rows_kernel.hpp and tile_kernel.hpp.
#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "gpu/operators/alignment/lanes/lane_kernel.hpp"
#include "gpu/operators/alignment/lanes/rows_kernel.hpp"
#include "gpu/operators/alignment/lanes/tile_kernel.hpp"

namespace sluice::alignment::portable {

namespace {

#include "gpu/operators/alignment/lanes/lane_loops.hpp"
#include "gpu/operators/alignment/lanes/lanes_portable.hpp"
#include "gpu/operators/alignment/lanes/rows_loops.hpp"
#include "gpu/operators/alignment/lanes/tile_loops.hpp"

template <class V>
constexpr LaneWidth lane_width() {
    return {align_lanes<V>, V::count, V::limit};
}

constexpr std::size_t rows_of_tile = 32;

void run_longs(TileTask& task) { Tile<Lanes32, rows_of_tile>(task).run(); }

}  // namespace

LaneKernels lane_kernels() { return {{}, lane_width<Lanes16>(), lane_width<Lanes32>()}; }

void run_rows(RowsTask& task) {
    if (task.local) return run_strips<true, true>(task);
    task.track_best ? run_strips<false, true>(task) : run_strips<false, false>(task);
}

extern const TileKernels tile_kernels{rows_of_tile, nullptr, run_longs};

}  // namespace sluice::alignment::portable
