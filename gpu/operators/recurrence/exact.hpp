// Exact line sums of one series for many thresholds, on the CPU. Callable from any thread; with `threads` above one,
// starts additional threads for the duration of the call.
//
// The series is sorted once. Points and vertical lines follow from the sorted values (sorted_series.hpp), in time O(n)
// for each threshold. For diagonals, rows are built from prefix sets (bit_rows.hpp), in blocks of 512 columns: n² / 512
// times a dozen vector operations. Memory: a few arrays of n, whatever the number of thresholds.
#pragma once

#include <cstddef>
#include <span>

#include "gpu/operators/recurrence/bit_rows.hpp"
#include "gpu/operators/recurrence/go_on.hpp"
#include "gpu/operators/recurrence/line_sums.hpp"

namespace sluice::recurrence {

struct ExactOptions {
    std::size_t theiler = 1;
    std::size_t threads = 1;
    GoOn go_on = {};
    simd::InstructionSet set = simd::best_instruction_set();
};

// sums[q] answers questions[q]; vectors and points are always set. Values are finite; vectors are single values
// (dimension 1). Diagonals longer than shortest_line_max are counted cell by cell. Returns false if it was stopped; the
// sums are then incomplete.
bool exact_line_sums(std::span<const double> series, std::span<const LineQuestion> questions, std::span<LineSums> sums,
                     const ExactOptions& options = {});

// Subtracts the diagonals |i - j| < theiler from `diagonal`, which covers the whole matrix. False: stopped.
bool leave_out_theiler_window(std::span<const double> series, double epsilon, std::uint32_t l_min, std::size_t theiler,
                              Stretches& diagonal, const GoOn& go_on = {});

}  // namespace sluice::recurrence
