// Exact line sums of one series for many thresholds, on the CPU. Any thread; `threads` more than one starts others for
// the time of the call.
//
// The series is sorted once. For a threshold, two pointers over the sorted values say for each row which of them recur;
// rows then come from prefix sets (bit_rows.hpp), in blocks of 512 columns. Time per threshold: n² / 512 times a dozen
// vector operations; memory: a few arrays of n, whatever the number of thresholds.
#pragma once

#include <cstddef>
#include <span>

#include "gpu/operators/recurrence/bit_rows.hpp"
#include "gpu/operators/recurrence/line_sums.hpp"

namespace sluice::recurrence {

// sums[q] answers questions[q]; vectors and points are always given. Values are finite; vectors are single values
// (dimension 1). A question for a line longer than shortest_line_max is answered by reference_lines.
void exact_line_sums(std::span<const double> series, std::span<const LineQuestion> questions, std::span<LineSums> sums,
                     std::size_t theiler = 1, std::size_t threads = 1, BitRowKernel kernel = best_bit_row_kernel());

// Takes the diagonals |i - j| < theiler out of `diagonal`, which counts all of the matrix.
void leave_out_theiler_window(std::span<const double> series, double epsilon, std::uint32_t l_min, std::size_t theiler,
                              Stretches& diagonal);

}  // namespace sluice::recurrence
