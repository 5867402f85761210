#include "gpu/operators/recurrence/exact_plan.hpp"

#include <algorithm>
#include <utility>

namespace sluice::recurrence::cuda {
namespace {

std::uint32_t parts(std::size_t whole, std::size_t part) {
    return static_cast<std::uint32_t>((whole + part - 1) / part);
}

// The columns that a block can own for some questions, since it has the whole of each diagonal that begins in one.
std::uint32_t own_columns(std::span<const DeviceQuestion> questions) {
    std::uint32_t after = 0;
    for (const DeviceQuestion& question : questions)
        after = std::max(after, question.l_min == 0 ? 0 : std::max<std::uint32_t>(question.l_min, 2));
    return block_columns - after;
}

// Cuts the matrices into blocks of columns, parts of rows and groups of questions: about eight pieces for each
// multiprocessor, none so small that sorting its columns would take longer than answering, none of more than 2^31
// cells, some 20 ms.
void add_work(ExactPlan& plan, std::span<const std::pair<std::uint64_t, std::uint32_t>> series_of_question,
              std::size_t processors) {
    constexpr std::uint64_t together_max = 1024;
    std::uint64_t units = 0;
    std::uint32_t points_max = 0;
    for (const auto& [offset, points] : series_of_question) points_max = std::max(points_max, points);
    plan.rows_together = points_max <= 1024 ? 1024 : 2048;
    for (const auto& [offset, points] : series_of_question)
        units += std::uint64_t{parts(points, block_columns)} * parts(points, plan.rows_together);
    const std::uint64_t units_together = std::clamp<std::uint64_t>(units / (8 * processors), 2, together_max);
    for (std::size_t first = 0; first < series_of_question.size();) {
        const auto [offset, points] = series_of_question[first];
        std::size_t last = first + 1;
        while (last < series_of_question.size() && series_of_question[last].first == offset) ++last;
        const std::uint64_t row_units = parts(points, plan.rows_together);
        const std::uint32_t row_parts = parts(row_units, units_together);
        const std::uint64_t rows = std::uint64_t{parts(row_units, row_parts)} * plan.rows_together;
        const std::size_t together = std::max<std::size_t>(1, units_together / row_units);
        for (std::size_t q = first; q < last; q += together) {
            const std::size_t questions = std::min(together, last - q);
            const std::uint32_t own = own_columns(std::span(plan.questions).subspan(q, questions));
            for (std::uint64_t row = 0; row < points; row += rows) {
                for (std::uint64_t column = 0; column < points; column += own)
                    plan.work.push_back({offset, points, static_cast<std::uint32_t>(column), own,
                                         static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(rows),
                                         static_cast<std::uint32_t>(q), static_cast<std::uint32_t>(questions)});
            }
        }
        first = last;
    }
}

}  // namespace

bool for_device(const LineQuestion& question) { return std::max(question.v_min, question.l_min) <= shortest_line_max; }

ExactPlan make_plan(Solver::Series series, std::span<const ExactTask> tasks, std::size_t processors) {
    ExactPlan plan;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> series_of_question;
    std::uint64_t offset = 0;
    for (std::size_t t = 0; t < tasks.size(); ++t) {
        const std::span<const double> values = series[tasks[t].series];
        if (!(tasks[t].question.epsilon > 0) || values.empty() || !for_device(tasks[t].question)) continue;
        if (plan.tasks.empty() || tasks[plan.tasks.back()].series != tasks[t].series) {
            offset = plan.values.size();
            plan.values.insert(plan.values.end(), values.begin(), values.end());
        }
        plan.tasks.push_back(t);
        plan.questions.push_back({tasks[t].question.epsilon, tasks[t].question.v_min, tasks[t].question.l_min});
        series_of_question.emplace_back(offset, static_cast<std::uint32_t>(values.size()));
    }
    add_work(plan, series_of_question, processors);
    return plan;
}

}  // namespace sluice::recurrence::cuda
