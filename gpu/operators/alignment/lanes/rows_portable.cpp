// For every processor; see rows_kernel.hpp.
#include <algorithm>
#include <array>
#include <optional>

#include "gpu/operators/alignment/lanes/lane_kernel.hpp"
#include "gpu/operators/alignment/lanes/rows_kernel.hpp"

namespace sluice::alignment::portable {

namespace {

#include "gpu/operators/alignment/lanes/lanes_portable.hpp"
#include "gpu/operators/alignment/lanes/rows_loops.hpp"

}  // namespace

void run_rows(RowsTask& task) {
    if (task.local) return run_strips<true, true>(task);
    task.track_best ? run_strips<false, true>(task) : run_strips<false, false>(task);
}

}  // namespace sluice::alignment::portable
