#include "gpu/operators/recurrence/evaluate.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "gpu/operators/recurrence/exact.hpp"

namespace sluice::recurrence {
namespace {

std::uint32_t shortest_line(const Question& question) {
    return question.measure == Measure::recurrence_rate ? 0 : std::max<std::uint32_t>(question.shortest, 1);
}

// Maps all thresholds at which nothing recurs to one.
double threshold(double epsilon) { return epsilon > 0 ? epsilon : 0; }

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

double sampled_value(std::span<const double> series, const Question& question, const Options& options, Solver& solver,
                     Counters& counters) {
    if (too_long_to_sample(question, options)) {
        ++counters.unanswered;
        return std::numeric_limits<double>::quiet_NaN();
    }
    const LineQuestion lines = alone(question);
    const MicrostateSums sums = solver.sample(series, lines, options);
    ++counters.samplings;
    counters.windows += sums.windows;
    const bool is_diagonal = question.measure == Measure::determinism;
    return (is_diagonal ? estimate_determinism(sums, lines.l_min, options.microstates)
                        : estimate_laminarity(sums, lines.v_min, options.microstates))
        .value;
}

// Answers what needs no matrix, on this thread.
void count_by_sorting(Solver::Series series, std::span<ExactTask> tasks, const Options& options) {
    Options here;
    here.theiler = options.theiler;
    if (!tasks.empty()) CpuSolver().exact(series, tasks, here);
}

// Adds a question to the last task of the same matrix, or to one before it, that does not yet count lines of that
// direction or counts the same ones; otherwise to a new task. Returns the task's index.
std::size_t place(std::uint32_t series, const Question& question, std::vector<ExactTask>& tasks) {
    const LineQuestion lines = alone(question);
    for (std::size_t t = tasks.size(); t > 0; --t) {
        ExactTask& task = tasks[t - 1];
        if (task.series != series || task.question.epsilon != lines.epsilon) break;
        const bool v_fits = lines.v_min == 0 || task.question.v_min == 0 || task.question.v_min == lines.v_min;
        const bool l_fits = lines.l_min == 0 || task.question.l_min == 0 || task.question.l_min == lines.l_min;
        if (!v_fits || !l_fits) continue;
        task.question.v_min = std::max(task.question.v_min, lines.v_min);
        task.question.l_min = std::max(task.question.l_min, lines.l_min);
        return t - 1;
    }
    tasks.push_back({series, lines, {}});
    return tasks.size() - 1;
}

// The answer to one distinct question for one series, or where to find it.
struct Answer {
    static constexpr std::size_t known = static_cast<std::size_t>(-1);

    std::uint32_t question;
    const std::vector<ExactTask>* tasks;
    std::size_t task;  // among `tasks`, or `known`
    double value;
};

// Returns the distinct questions demanded for a series, in order. `asked` is scratch space, all 0 before and after.
std::vector<std::uint32_t> asked_of(std::span<const std::uint32_t> demanded, std::vector<std::uint8_t>& asked) {
    std::vector<std::uint32_t> distinct;
    for (const std::uint32_t q : demanded) {
        if (!asked[q]) distinct.push_back(q);
        asked[q] = 1;
    }
    for (const std::uint32_t q : distinct) asked[q] = 0;
    std::sort(distinct.begin(), distinct.end());
    return distinct;
}

}  // namespace

Questions::Questions(std::vector<Question> questions)
    : questions_(std::move(questions)), distinct_of_(questions_.size()) {
    std::vector<std::uint32_t> order(questions_.size());
    std::iota(order.begin(), order.end(), 0);
    const auto key = [&](std::uint32_t q) {
        return std::tuple(threshold(questions_[q].epsilon), questions_[q].measure, shortest_line(questions_[q]));
    };
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
    for (const std::uint32_t q : order) {
        if (first_.empty() || key(first_.back()) != key(q)) first_.push_back(q);
        distinct_of_[q] = static_cast<std::uint32_t>(first_.size() - 1);
    }
}

void CpuSolver::exact(Series series, std::span<ExactTask> tasks, const Options& options) {
    std::vector<LineQuestion> questions;
    std::vector<LineSums> sums;
    for (std::size_t first = 0; first < tasks.size();) {
        const std::uint32_t index = tasks[first].series;
        questions.clear();
        for (std::size_t t = first; t < tasks.size() && tasks[t].series == index; ++t)
            questions.push_back(tasks[t].question);
        sums.assign(questions.size(), {});
        exact_line_sums(series[index], questions, sums,
                        {.theiler = options.theiler, .threads = options.threads, .go_on = options.go_on});
        for (const LineSums& one : sums) tasks[first++].sums = one;
    }
}

MicrostateSums CpuSolver::sample(std::span<const double> series, const LineQuestion& question, const Options& options) {
    return sample_microstates(question, options.microstates,
                              [&](std::uint64_t first, std::uint64_t windows, MicrostateSums& sums) {
                                  return add_microstates_on_threads(series, question, options.microstates, first,
                                                                    windows, options.threads, options.go_on, sums);
                              });
}

void evaluate(Solver::Series series, const Questions& questions, std::span<const Demand> demands,
              const Options& options, Solver& solver, std::span<double> values, Counters& counters) {
    // Demands by series: those of series s are positions[first[s]] … positions[first[s + 1] - 1].
    std::vector<std::uint32_t> first(series.size() + 1), positions(demands.size()), demanded(demands.size());
    for (const Demand& demand : demands) ++first[demand.series + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<std::uint32_t> next(first.begin(), first.end());
    for (std::uint32_t d = 0; d < demands.size(); ++d) {
        const std::uint32_t at = next[demands[d].series]++;
        positions[at] = d;
        demanded[at] = questions.distinct_of(demands[d].question);
    }

    std::vector<ExactTask> tasks, sorted_tasks;            // for the solver, and for count_by_sorting
    std::vector<Answer> answers;                           // one for each distinct question of each series
    std::vector<std::uint32_t> answer_of(demands.size());  // by position
    std::vector<std::uint8_t> asked(questions.distinct());
    std::vector<std::uint32_t> answer_here(questions.distinct());
    for (std::uint32_t s = 0; s < series.size(); ++s) {
        std::vector<ExactTask>& exact_tasks =
            series[s].size() > exact_points({Measure::determinism}, options) ? sorted_tasks : tasks;
        const std::span<const std::uint32_t> here(demanded.data() + first[s], first[s + 1] - first[s]);
        for (const std::uint32_t q : asked_of(here, asked)) {
            const Question& question = questions.distinct_question(q);
            answer_here[q] = static_cast<std::uint32_t>(answers.size());
            answers.push_back({q, &exact_tasks, Answer::known, 0});
            if (series[s].size() > exact_points(question, options))
                answers.back().value = sampled_value(series[s], question, options, solver, counters);
            else
                answers.back().task = place(s, question, exact_tasks);
        }
        for (std::size_t at = first[s]; at < first[s + 1]; ++at) answer_of[at] = answer_here[demanded[at]];
    }
    solver.exact(series, tasks, options);
    count_by_sorting(series, sorted_tasks, options);
    for (Answer& answer : answers) {
        if (answer.task == Answer::known) continue;
        answer.value = exact_value((*answer.tasks)[answer.task].sums, questions.distinct_question(answer.question));
    }
    for (std::size_t at = 0; at < demands.size(); ++at) values[positions[at]] = answers[answer_of[at]].value;
    counters.demands += demands.size();
    counters.matrices += tasks.size() + sorted_tasks.size();
    for (const ExactTask& task : tasks) counters.cells += task.sums.vectors * task.sums.vectors;
}

std::size_t exact_points(const Question& question, const Options& options) {
    // A series too short for a microstate is never sampled.
    const auto least = std::max<std::size_t>(options.exact_points_max, options.microstates.size);
    switch (question.measure) {
        case Measure::determinism:
            return least;
        case Measure::laminarity:
            return std::max(least, options.sorted_points_max);
        case Measure::recurrence_rate:
            break;
    }
    return std::numeric_limits<std::size_t>::max();
}

std::string describe(const Question& question, const Options& options) {
    const std::string otherwise = "; false where the text is not a series of numbers";
    if (question.measure == Measure::recurrence_rate) return "exact at every size" + otherwise;
    std::string text = "exact up to " + std::to_string(exact_points(question, options)) + " values; ";
    if (too_long_to_sample(question, options))
        return text + "no answer beyond, since lines of " + std::to_string(question.shortest) +
               " are too long to be sampled" + otherwise;
    char error[32];
    std::snprintf(error, sizeof error, "%g", options.microstates.standard_error);
    const std::string size = std::to_string(options.microstates.size);
    return text + "beyond, estimated from " + size + " x " + size + " windows (standard error below " + error + ")" +
           otherwise;
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

}  // namespace sluice::recurrence
