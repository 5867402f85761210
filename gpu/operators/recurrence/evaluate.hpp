// Recurrence measures of many series for many subscribers: what is asked twice is computed once, and thresholds of one
// series share its sorting. This is what the matching engine calls.
//
// evaluate() may be called by any thread, with a Solver that no other thread uses meanwhile (CpuSolver: any).
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

// `shortest` is l_min or v_min, at least 1; a recurrence rate has none.
struct Question {
    Measure measure = Measure::laminarity;
    double epsilon = 0;
    std::uint32_t shortest = 2;
};

// Questions, by index. Those that have the same answer are known to be one.
class Questions {
public:
    explicit Questions(std::vector<Question> questions = {});

    const Question& operator[](std::size_t q) const { return questions_[q]; }
    std::size_t size() const { return questions_.size(); }
    std::size_t bytes() const;

    // Distinct questions are numbered in the order in which they are computed together.
    std::size_t distinct() const { return first_.size(); }
    std::uint32_t distinct_of(std::size_t q) const { return distinct_of_[q]; }
    const Question& distinct_question(std::size_t d) const { return questions_[first_[d]]; }

private:
    std::vector<Question> questions_;
    std::vector<std::uint32_t> distinct_of_;
    std::vector<std::uint32_t> first_;  // by distinct question: the first that is it
};

// The value asked for is questions[question] of series[series].
struct Demand {
    std::uint32_t series = 0, question = 0;
};

struct Options {
    std::size_t exact_points_max = 16384;  // longer series are sampled
    std::size_t threads = 1;               // of the CPU, for one long series
    std::size_t theiler = 1;
    MicrostateOptions microstates = {};
};

struct Counters {
    std::uint64_t demands = 0;     // values given
    std::uint64_t matrices = 0;    // exact passes: a series, an epsilon, up to one shortest line a direction
    std::uint64_t cells = 0;       // of those matrices
    std::uint64_t samplings = 0;   // estimates made
    std::uint64_t windows = 0;     // microstates looked at
    std::uint64_t unanswered = 0;  // shortest lines too long to sample
};

struct ExactTask {
    std::uint32_t series = 0;
    LineQuestion question;
    LineSums sums;
};

// Where the work is done. Every solver gives the same integers.
class Solver {
public:
    using Series = std::span<const std::span<const double>>;

    virtual ~Solver() = default;
    // Fills the tasks' sums; tasks of one series stand together.
    virtual void exact(Series series, std::span<ExactTask> tasks, const Options& options) = 0;
    // sample_microstates() of the series.
    virtual MicrostateSums sample(std::span<const double> series, const LineQuestion& question,
                                  const Options& options) = 0;
};

class CpuSolver : public Solver {
public:
    void exact(Series series, std::span<ExactTask> tasks, const Options& options) override;
    MicrostateSums sample(std::span<const double> series, const LineQuestion& question,
                          const Options& options) override;
};

// values[d] answers demands[d]: exact up to options.exact_points_max points, estimated above. NaN for a share of
// nothing (no vectors, no points), and for a shortest line above half a microstate where the series has to be sampled.
// A value does not depend on what else is asked. Counters are added to.
void evaluate(Solver::Series series, const Questions& questions, std::span<const Demand> demands,
              const Options& options, Solver& solver, std::span<double> values, Counters& counters);

// For `explain`: "exact up to 16384 values; beyond, estimated from 32 x 32 windows (standard error below 0.005); false
// where the text is no series of numbers".
std::string describe(const Question& question, const Options& options);

// Parses each different text once. Texts must outlive it.
class SeriesBatch {
public:
    // The index of the text's series. One that is no series is empty and has an error.
    std::uint32_t add(std::string_view text);

    const std::optional<SeriesError>& error(std::uint32_t index) const { return errors_[index]; }
    Solver::Series series() const { return spans_; }
    std::size_t errors() const { return error_count_; }
    void clear();

private:
    std::unordered_map<std::string_view, std::uint32_t> indices_;
    std::deque<std::vector<double>> values_;
    std::vector<std::span<const double>> spans_;
    std::vector<std::optional<SeriesError>> errors_;
    std::size_t error_count_ = 0;
};

}  // namespace sluice::recurrence
