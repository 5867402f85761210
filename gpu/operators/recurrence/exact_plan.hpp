// Cuts exact questions into pieces for a device's thread blocks. Plain values; no CUDA.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/operators/recurrence/evaluate.hpp"

namespace sluice::recurrence::cuda {

// One epsilon for one series. A direction whose shortest line is 0 is not counted.
struct DeviceQuestion {
    double epsilon;              // above 0
    std::uint32_t v_min, l_min;  // at most shortest_line_max
};

// The sums to which a question's blocks add: stretches of 1; of v_min and v_min + 1 vertically; of l_min and l_min + 1
// (2 and 3, if l_min is 1) on diagonals, including the main diagonal.
struct DeviceSums {
    unsigned long long points, vertical_min, vertical_next, diagonal_min, diagonal_next;
};

// The work of one thread block: the rows of the matrix from first_row on, in a block of columns, for some questions.
// `rows` is a multiple of rows_together and may extend past the matrix.
struct ExactWork {
    std::uint64_t series;  // offset of its first value among all values
    std::uint32_t points;
    std::uint32_t first_column, own_columns;  // the block's other columns, after these, only continue diagonals
    std::uint32_t first_row, rows;
    std::uint32_t first_question, questions;
};

constexpr std::uint32_t block_columns = 1024;

// The input of one launch of exact_lines, cut into pieces.
struct ExactPlan {
    std::vector<double> values;
    std::vector<DeviceQuestion> questions;
    std::vector<ExactWork> work;
    std::vector<std::size_t> tasks;  // tasks[q]: index of the task that questions[q] answers
    std::uint32_t rows_together = 1024;
};

// Whether the device's kernel can answer the question: shortest lines are at most shortest_line_max.
bool for_device(const LineQuestion& question);

// Plans the tasks that the device's kernel can answer, except trivial ones (no points, or no epsilon above 0).
ExactPlan make_plan(Solver::Series series, std::span<const ExactTask> tasks, std::size_t processors);

}  // namespace sluice::recurrence::cuda
