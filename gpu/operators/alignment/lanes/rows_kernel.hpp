// Shared by rows.cpp and its kernels: rows_loops.hpp is the loop, and kernels_*.cpp have the vectors of an instruction
// set.
#pragma once

#include <vector>

#include "gpu/operators/alignment/scheme/progress.hpp"
#include "gpu/operators/alignment/scheme/reference.hpp"
#include "gpu/operators/alignment/scheme/scheme.hpp"

namespace sluice::alignment {

// Local: borders are 0, and no cell is below 0. Otherwise a gap along the upper border costs first + …, and along the
// left one left_first + …. `best` is the best cell if it is tracked.
struct RowsTask {
    const Scheme& scheme;
    Codes query, text;
    bool local, track_best;
    int left_first;
    const Progress& progress;

    // The last row: H, and F of the row below, for columns 1 to n, with room for vectors on both sides.
    static constexpr std::size_t margin = 64;
    std::vector<std::int32_t> h, f;
    EndPoint best;

    RowsTask(const Scheme& s, Codes q, Codes t, bool is_local, bool track, int first, const Progress& p)
        : scheme(s), query(q), text(t), local(is_local), track_best(track), left_first(first), progress(p) {}

    std::int32_t left_border(std::size_t row) const {
        return local || row == 0 ? 0 : -left_first - static_cast<std::int32_t>(row - 1) * scheme.gap_further;
    }
};

namespace portable {
void run_rows(RowsTask& task);
}
namespace avx2 {
void run_rows(RowsTask& task);
}
namespace avx512 {
void run_rows(RowsTask& task);
}

}  // namespace sluice::alignment
