// How exact questions are cut into pieces for a device's thread blocks. Plain values; no CUDA.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/operators/recurrence/evaluate.hpp"

namespace sluice::recurrence::cuda {

// One epsilon for one series. Lines of at least 2, both ways.
struct DeviceQuestion {
    double epsilon;  // above 0
};

// What a question's blocks add to: stretches of 1, of 2 and 3 below each other, of 2 and 3 on diagonals (the main
// diagonal counted).
struct DeviceSums {
    unsigned long long points, vertical_min, vertical_next, diagonal_min, diagonal_next;
};

// The work of one thread block: rows first_row … of the matrix, in a block of columns, for some questions. `rows` is a
// multiple of rows_together and may reach beyond the matrix.
struct ExactWork {
    std::uint64_t series;  // offset of the first value among all
    std::uint32_t points;
    std::uint32_t first_column;
    std::uint32_t first_row, rows;
    std::uint32_t first_question, questions;
};

constexpr std::uint32_t block_columns = 1024;
constexpr std::uint32_t own_columns = block_columns - 2;  // the last two only continue diagonals

// What one launch of exact_lines takes, cut into pieces.
struct ExactPlan {
    std::vector<double> values;
    std::vector<DeviceQuestion> questions;
    std::vector<ExactWork> work;
    std::vector<std::size_t> tasks;  // tasks[q]: the task that questions[q] answers
    std::uint32_t rows_together = 1024;
};

// Can the device's kernel answer it? It counts lines of at least 2.
bool for_device(const LineQuestion& question);

// The tasks that the device's kernel can answer and that are not about nothing (no points, epsilon 0).
ExactPlan make_plan(Solver::Series series, std::span<const ExactTask> tasks, std::size_t processors);

}  // namespace sluice::recurrence::cuda
