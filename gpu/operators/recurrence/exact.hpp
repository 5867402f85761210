// Exact line sums of one series for many thresholds, on the CPU. Callable from any thread; with `threads` above one,
// starts additional threads for the duration of the call.
//
// The series is sorted once. For each threshold, two pointers over the sorted values find which of them recur with each
// row. Rows are then built from prefix sets (bit_rows.hpp), in blocks of 512 columns. Time per threshold: n² / 512
// times a dozen vector operations. Memory: a few arrays of n, whatever the number of thresholds.
#pragma once

#include <cstddef>
#include <span>

#include "gpu/operators/recurrence/bit_rows.hpp"
#include "gpu/operators/recurrence/line_sums.hpp"

namespace sluice::recurrence {

// sums[q] answers questions[q]; vectors and points are always set. Values are finite; vectors are single values
// (dimension 1). A question for a line longer than shortest_line_max is answered by reference_lines().
void exact_line_sums(std::span<const double> series, std::span<const LineQuestion> questions, std::span<LineSums> sums,
                     std::size_t theiler = 1, std::size_t threads = 1,
                     simd::InstructionSet set = simd::best_instruction_set());

// Subtracts the diagonals |i - j| < theiler from `diagonal`, which covers the whole matrix.
void leave_out_theiler_window(std::span<const double> series, double epsilon, std::uint32_t l_min, std::size_t theiler,
                              Stretches& diagonal);

}  // namespace sluice::recurrence
