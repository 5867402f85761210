#include "gpu/operators/recurrence/evaluate.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <numeric>
#include <tuple>

#include "gpu/operators/recurrence/exact.hpp"

namespace sluice::recurrence {
namespace {

std::uint32_t shortest_line(const Question& question) {
    return question.measure == Measure::recurrence_rate ? 0 : std::max<std::uint32_t>(question.shortest, 1);
}

// One for all thresholds below which there is nothing.
double threshold(double epsilon) { return epsilon > 0 ? epsilon : 0; }

// The order in which what can be computed together stands together.
auto key(const Demand& demand, const Question& question) {
    return std::tuple(demand.series, threshold(question.epsilon), question.measure, shortest_line(question));
}

double exact_value(const LineSums& sums, const Question& question) {
    switch (question.measure) {
        case Measure::recurrence_rate:
            return sums.recurrence_rate();
        case Measure::determinism:
            return sums.diagonal.share(shortest_line(question));
        case Measure::laminarity:
            return sums.vertical.share(shortest_line(question));
    }
    return std::numeric_limits<double>::quiet_NaN();
}

bool too_long_to_sample(const Question& question, const Options& options) {
    return 2 * shortest_line(question) > options.microstates.size;
}

LineQuestion alone(const Question& question) {
    const std::uint32_t shortest = shortest_line(question);
    return {threshold(question.epsilon), question.measure == Measure::laminarity ? shortest : 0,
            question.measure == Measure::determinism ? shortest : 0};
}

double sampled_value(Solver::Series series, std::uint32_t index, const Question& question, const Options& options,
                     Solver& solver, Counters& counters) {
    if (too_long_to_sample(question, options)) {
        ++counters.unanswered;
        return std::numeric_limits<double>::quiet_NaN();
    }
    const LineQuestion lines = alone(question);
    const MicrostateSums sums = sample_microstates(
        lines, options.microstates, [&](std::uint64_t first, std::uint64_t windows, MicrostateSums& added) {
            solver.microstates(series, index, lines, options, first, windows, added);
        });
    ++counters.samplings;
    counters.windows += sums.windows;
    switch (question.measure) {
        case Measure::recurrence_rate:
            return estimate_recurrence_rate(sums, options.microstates).value;
        case Measure::determinism:
            return estimate_determinism(sums, lines.l_min, options.microstates).value;
        case Measure::laminarity:
            return estimate_laminarity(sums, lines.v_min, options.microstates).value;
    }
    return std::numeric_limits<double>::quiet_NaN();
}

// Puts a question into a task of the same matrix: into the last, or one before it, that does not count that direction
// yet. Returns the task's index.
std::size_t place(const Demand& demand, const Question& question, std::vector<ExactTask>& tasks) {
    const LineQuestion lines = alone(question);
    for (std::size_t t = tasks.size(); t > 0; --t) {
        ExactTask& task = tasks[t - 1];
        if (task.series != demand.series || task.question.epsilon != lines.epsilon) break;
        const bool v_fits = lines.v_min == 0 || task.question.v_min == 0 || task.question.v_min == lines.v_min;
        const bool l_fits = lines.l_min == 0 || task.question.l_min == 0 || task.question.l_min == lines.l_min;
        if (!v_fits || !l_fits) continue;
        task.question.v_min = std::max(task.question.v_min, lines.v_min);
        task.question.l_min = std::max(task.question.l_min, lines.l_min);
        return t - 1;
    }
    tasks.push_back({demand.series, lines, {}});
    return tasks.size() - 1;
}

}  // namespace

void CpuSolver::exact(Series series, std::span<ExactTask> tasks, const Options& options) {
    std::vector<LineQuestion> questions;
    std::vector<LineSums> sums;
    for (std::size_t first = 0; first < tasks.size();) {
        const std::uint32_t index = tasks[first].series;
        questions.clear();
        for (std::size_t t = first; t < tasks.size() && tasks[t].series == index; ++t)
            questions.push_back(tasks[t].question);
        sums.assign(questions.size(), {});
        exact_line_sums(series[index], questions, sums, options.theiler, options.threads);
        for (const LineSums& one : sums) tasks[first++].sums = one;
    }
}

void CpuSolver::microstates(Series series, std::size_t index, const LineQuestion& question, const Options& options,
                            std::uint64_t first_window, std::uint64_t windows, MicrostateSums& sums) {
    add_microstates(series[index], question, options.microstates, first_window, windows, sums);
}

void evaluate(Solver::Series series, std::span<const Question> questions, std::span<const Demand> demands,
              const Options& options, Solver& solver, std::span<double> values, Counters& counters) {
    const auto key_of = [&](std::uint32_t d) { return key(demands[d], questions[demands[d].question]); };
    std::vector<std::uint32_t> order(demands.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return key_of(a) < key_of(b); });

    constexpr std::size_t sampled = std::numeric_limits<std::size_t>::max();
    std::vector<ExactTask> tasks;
    std::vector<std::size_t> task_of(demands.size(), sampled);
    for (std::size_t k = 0; k < order.size(); ++k) {
        const Demand& demand = demands[order[k]];
        const Question& question = questions[demand.question];
        const bool repeated = k > 0 && key_of(order[k]) == key_of(order[k - 1]);
        if (series[demand.series].size() <= std::max<std::size_t>(options.exact_points_max, options.microstates.size))
            task_of[order[k]] = repeated ? task_of[order[k - 1]] : place(demand, question, tasks);
        else
            values[order[k]] = repeated ? values[order[k - 1]]
                                        : sampled_value(series, demand.series, question, options, solver, counters);
    }
    solver.exact(series, tasks, options);
    for (std::size_t d = 0; d < demands.size(); ++d) {
        if (task_of[d] != sampled) values[d] = exact_value(tasks[task_of[d]].sums, questions[demands[d].question]);
    }
    counters.demands += demands.size();
    counters.matrices += tasks.size();
    for (const ExactTask& task : tasks) counters.cells += task.sums.vectors * task.sums.vectors;
}

std::string describe(const Question& question, const Options& options) {
    std::string text = "exact up to " + std::to_string(options.exact_points_max) + " values; ";
    if (too_long_to_sample(question, options))
        return text + "no answer beyond, since lines of " + std::to_string(question.shortest) +
               " are too long to be sampled";
    char error[32];
    std::snprintf(error, sizeof error, "%g", options.microstates.standard_error);
    const std::string size = std::to_string(options.microstates.size);
    return text + "beyond, estimated from " + size + " x " + size + " windows (standard error below " + error + ")";
}

std::uint32_t SeriesBatch::add(std::string_view text) {
    const auto index = static_cast<std::uint32_t>(spans_.size());
    const auto [known, is_new] = indices_.try_emplace(text, index);
    if (!is_new) return known->second;
    values_.emplace_back();
    errors_.push_back(parse_series(text, values_.back()));
    if (errors_.back()) {
        values_.back().clear();
        ++error_count_;
    }
    spans_.emplace_back(values_.back());
    return index;
}

void SeriesBatch::clear() {
    indices_.clear();
    values_.clear();
    spans_.clear();
    errors_.clear();
    error_count_ = 0;
}

}  // namespace sluice::recurrence
