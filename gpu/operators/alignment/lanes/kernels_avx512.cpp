// The kernels of this folder, compiled with the instruction set in this file's name; see lane_kernel.hpp,
// rows_kernel.hpp and tile_kernel.hpp.
#include <algorithm>
#include <array>
#include <bit>
#include <immintrin.h>
#include <limits>
#include <optional>

#include "gpu/operators/alignment/lanes/lane_kernel.hpp"
#include "gpu/operators/alignment/lanes/rows_kernel.hpp"
#include "gpu/operators/alignment/lanes/tile_kernel.hpp"

namespace sluice::alignment::avx512 {

namespace {

#include "gpu/operators/alignment/lanes/lane_loops.hpp"
#include "gpu/operators/alignment/lanes/lanes_avx512.hpp"
#include "gpu/operators/alignment/lanes/rows_loops.hpp"
#include "gpu/operators/alignment/lanes/striped_loops.hpp"
#include "gpu/operators/alignment/lanes/tile_loops.hpp"

template <class V>
constexpr LaneWidth lane_width() {
    return {align_lanes<V>, V::count, V::limit, align_striped<V>};
}

constexpr std::size_t rows_of_tile = 128;

void run_words(TileTask& task) { Tile<Lanes16, rows_of_tile>(task).run(); }
void run_longs(TileTask& task) { Tile<Lanes32, rows_of_tile>(task).run(); }

}  // namespace

LaneKernels lane_kernels() { return {lane_width<Lanes8>(), lane_width<Lanes16>(), lane_width<Lanes32>()}; }

void run_rows(RowsTask& task) {
    if (task.local) return run_strips<true, true>(task);
    task.track_best ? run_strips<false, true>(task) : run_strips<false, false>(task);
}

extern const TileKernels tile_kernels{rows_of_tile, run_words, run_longs};

}  // namespace sluice::alignment::avx512
