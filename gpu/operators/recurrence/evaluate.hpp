// Recurrence measures of many series for many subscribers, as called by the matching engine. Each distinct value is
// computed once, and thresholds of one series share its sorting.
//
// evaluate() may be called by any thread, with a Solver that no other thread is using (CpuSolver: no limit).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gpu/operators/recurrence/line_sums.hpp"
#include "gpu/operators/recurrence/microstates.hpp"
#include "gpu/operators/recurrence/series.hpp"

namespace sluice::recurrence {

enum class Measure : std::uint8_t { recurrence_rate, determinism, laminarity };

// `shortest` is l_min or v_min, at least 1; unused for a recurrence rate.
struct Question {
    Measure measure = Measure::laminarity;
    double epsilon = 0;
    std::uint32_t shortest = 2;
};

// Questions by index. Questions with the same answer are identified as one distinct question.
class Questions {
public:
    explicit Questions(std::vector<Question> questions = {});

    const Question& operator[](std::size_t q) const { return questions_[q]; }
    std::size_t size() const { return questions_.size(); }

    // Distinct questions are numbered in the order in which they are computed together.
    std::size_t distinct() const { return first_.size(); }
    std::uint32_t distinct_of(std::size_t q) const { return distinct_of_[q]; }
    const Question& distinct_question(std::size_t d) const { return questions_[first_[d]]; }

private:
    std::vector<Question> questions_;
    std::vector<std::uint32_t> distinct_of_;
    std::vector<std::uint32_t> first_;  // [distinct question]: the index of one such question
};

// Asks for the value of questions[question] for series[series].
struct Demand {
    std::uint32_t series = 0, question = 0;
};

struct Options {
    std::size_t exact_points_max = 16384;                  // determinism of longer series is sampled
    std::size_t sorted_points_max = std::size_t{1} << 20;  // and their laminarity, if they are longer than this
    std::size_t threads = 1;                               // CPU threads, for one long series
    std::size_t theiler = 1;
    MicrostateOptions microstates = {};
    GoOn go_on = {};  // not called by evaluate(); once it stops a solver, that call's sums are incomplete
};

struct Counters {
    std::uint64_t demands = 0;     // values returned
    std::uint64_t matrices = 0;    // exact passes: one series, one epsilon, at most one shortest line per direction
    std::uint64_t cells = 0;       // of those matrices that a solver counted
    std::uint64_t samplings = 0;   // estimates computed
    std::uint64_t windows = 0;     // microstates evaluated
    std::uint64_t unanswered = 0;  // questions of a series whose shortest line is too long to sample
};

struct ExactTask {
    std::uint32_t series = 0;
    LineQuestion question;
    LineSums sums;
};

// Does the computation. Every solver gives the same integers.
class Solver {
public:
    using Series = std::span<const std::span<const double>>;

    virtual ~Solver() = default;
    // Fills the tasks' sums; tasks of one series must be adjacent.
    virtual void exact(Series series, std::span<ExactTask> tasks, const Options& options) = 0;
    // Returns sample_microstates() of the series.
    virtual MicrostateSums sample(std::span<const double> series, const LineQuestion& question,
                                  const Options& options) = 0;
};

class CpuSolver : public Solver {
public:
    void exact(Series series, std::span<ExactTask> tasks, const Options& options) override;
    MicrostateSums sample(std::span<const double> series, const LineQuestion& question,
                          const Options& options) override;
};

// values[d] answers demands[d]. The recurrence rate is exact, laminarity up to options.sorted_points_max points: for
// series of more than options.exact_points_max, this thread finds them by sorting. Determinism is exact up to the
// latter. Other values are estimated. NaN if a share has no base (no vectors, no points), and if it must be estimated
// and the shortest line exceeds half a microstate. A value does not depend on the other demands. Adds to `counters`.
void evaluate(Solver::Series series, const Questions& questions, std::span<const Demand> demands,
              const Options& options, Solver& solver, std::span<double> values, Counters& counters);

// The answers for longer series are estimated (or, for a long shortest line, missing).
std::size_t exact_points(const Question& question, const Options& options = {});

// For `explain`: "exact up to 16384 values; beyond, estimated from 32 x 32 windows (standard error below 0.005); false
// where the text is not a series of numbers"; "exact at every size; false …".
std::string describe(const Question& question, const Options& options);

// Parses each different text once. The texts must outlive the batch.
class SeriesBatch {
public:
    // Returns the index of the text's series. A text that is not a series gets an empty one and an error.
    std::uint32_t add(std::string_view text);

    const std::optional<SeriesError>& error(std::uint32_t index) const { return errors_[index]; }
    Solver::Series series() const { return spans_; }
    std::size_t errors() const { return error_count_; }

private:
    std::unordered_map<std::string_view, std::uint32_t> indices_;
    std::deque<std::vector<double>> values_;
    std::vector<std::span<const double>> spans_;
    std::vector<std::optional<SeriesError>> errors_;
    std::size_t error_count_ = 0;
};

}  // namespace sluice::recurrence
