// Compiled with the instruction set in its name; see rows_kernel.hpp.
#include <algorithm>
#include <array>
#include <immintrin.h>
#include <optional>

#include "gpu/operators/alignment/lanes/lane_kernel.hpp"
#include "gpu/operators/alignment/lanes/rows_kernel.hpp"

namespace sluice::alignment::avx512 {

namespace {

#include "gpu/operators/alignment/lanes/lanes_avx512.hpp"
#include "gpu/operators/alignment/lanes/rows_loops.hpp"

}  // namespace

void run_rows(RowsTask& task) {
    if (task.local) return run_strips<true, true>(task);
    task.track_best ? run_strips<false, true>(task) : run_strips<false, false>(task);
}

}  // namespace sluice::alignment::avx512
