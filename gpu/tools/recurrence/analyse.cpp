#include "gpu/tools/recurrence/analyse.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

#include "gpu/operators/recurrence/bit_rows.hpp"
#include "gpu/operators/recurrence/cuda_solver.hpp"
#include "gpu/operators/recurrence/microstates.hpp"
#include "gpu/simd/on_threads.hpp"

namespace sluice::recurrence {
namespace {

// Below that, starting a GPU takes longer than the work on a few cores.
constexpr double device_cells_min = 0x1p34;
constexpr std::uint64_t device_windows_min = std::uint64_t{1} << 24;

bool is_exact(std::span<const double> series, const AnalysisOptions& options) {
    if (options.algorithm == Algorithm::automatic) return series.size() <= counted_points_max;
    return options.algorithm == Algorithm::exact;
}

std::string microstates_fault(std::span<const double> series, const AnalysisOptions& options) {
    const std::string size = std::to_string(options.size);
    if (options.size < 2 || options.size > MicrostateOptions::size_max)
        return "microstates have a size from 2 to " + std::to_string(MicrostateOptions::size_max) + ", not " + size;
    const std::uint32_t longest = std::max(options.question.v_min, options.question.l_min);
    if (2 * std::uint64_t{longest} > options.size)
        return "microstates of " + size + " x " + size + " count lines of at least " +
               std::to_string(options.size / 2) + " points at most, not of " + std::to_string(longest);
    if (series.size() < options.size)
        return "microstates of " + size + " x " + size + " need a series of at least " + size + " values, not of " +
               std::to_string(series.size());
    return {};
}

std::string fault_of(std::span<const double> series, const AnalysisOptions& options) {
    if (series.size() > analysed_points_max)
        return "a series has at most " + std::to_string(analysed_points_max) + " values";
    if (!is_exact(series, options)) return microstates_fault(series, options);
    const std::uint32_t longest = std::max(options.question.v_min, options.question.l_min);
    if (options.processor == Processor::gpu && longest > shortest_line_max)
        return "a GPU counts lines of at least " + std::to_string(shortest_line_max) + " points at most, not of " +
               std::to_string(longest);
    return {};
}

bool suits_device(std::span<const double> series, const AnalysisOptions& options) {
    if (options.processor != Processor::automatic) return options.processor == Processor::gpu;
    if (!is_exact(series, options)) return options.windows.value_or(0) >= device_windows_min;
    const auto n = static_cast<double>(series.size());
    return n * n >= device_cells_min && std::max(options.question.v_min, options.question.l_min) <= shortest_line_max;
}

// How many of the threads found work.
unsigned threads_used(std::span<const double> series, const AnalysisOptions& options, const Options& how,
                      const Analysis& analysis) {
    std::uint64_t pieces = 1;
    if (!analysis.is_exact)
        pieces = std::max(how.microstates.windows_first, analysis.windows / 2) / windows_at_once;
    else if (options.question.l_min <= shortest_line_max)
        pieces = series.size() / (BitBlock::columns - options.question.l_min);
    return static_cast<unsigned>(std::clamp<std::uint64_t>(pieces, 1, how.threads));
}

Options solver_options(const AnalysisOptions& options, Analysis& analysis) {
    Options how;
    how.threads = simd::thread_count(options.threads);
    how.theiler = options.theiler;
    how.microstates.size = options.size;
    how.microstates.seed = options.seed;
    how.microstates.theiler = options.theiler;
    if (options.windows) how.microstates.windows_first = how.microstates.windows_max = *options.windows;
    how.go_on = [&options, &analysis](double share) {
        analysis.stopped = analysis.stopped || (options.go_on && !options.go_on(share));
        return !analysis.stopped;
    };
    return how;
}

void count(std::span<const double> series, const AnalysisOptions& options, const Options& how, Solver& solver,
           Analysis& analysis) {
    ExactTask task{0, options.question, {}};
    solver.exact(std::span(&series, 1), std::span(&task, 1), how);
    analysis.recurrence_rate.value = task.sums.recurrence_rate();
    analysis.determinism.value = task.sums.diagonal.share(options.question.l_min);
    analysis.laminarity.value = task.sums.vertical.share(options.question.v_min);
}

void estimate(std::span<const double> series, const AnalysisOptions& options, const Options& how, Solver& solver,
              Analysis& analysis) {
    const MicrostateSums sums = solver.sample(series, options.question, how);
    analysis.windows = sums.windows;
    analysis.recurrence_rate = estimate_recurrence_rate(sums, how.microstates);
    analysis.determinism = estimate_determinism(sums, options.question.l_min, how.microstates);
    analysis.laminarity = estimate_laminarity(sums, options.question.v_min, how.microstates);
    analysis.froguel_laminarity = froguel_laminarity(sums);
}

void run(std::span<const double> series, const AnalysisOptions& options, Solver& solver, Analysis& analysis) {
    const Options how = solver_options(options, analysis);
    const auto begin = std::chrono::steady_clock::now();
    (analysis.is_exact ? count : estimate)(series, options, how, solver, analysis);
    analysis.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    analysis.threads = threads_used(series, options, how, analysis);
}

// A device's solver, which has answered the question for a short series, since kernels are loaded when they are first
// used. Throws std::runtime_error where there is no device, or where it fails.
std::unique_ptr<Solver> start_device_solver(const LineQuestion& question, bool exact) {
    if (const std::string why = sluice::cuda::why_no_gpu(); !why.empty()) throw std::runtime_error(why);
    std::unique_ptr<Solver> solver;
    if constexpr (sluice::cuda::is_built) {
        solver = make_cuda_solver();
        const std::vector<double> few(2 * MicrostateOptions::size_max);
        const std::span<const double> series(few);
        ExactTask task{0, question, {}};
        Options options;
        options.microstates.windows_max = 1;
        if (exact)
            solver->exact(std::span(&series, 1), std::span(&task, 1), options);
        else
            solver->sample(series, question, options);
    }
    return solver;
}

void run_on_device(std::span<const double> series, const AnalysisOptions& options, Analysis& analysis) {
    try {
        const auto solver = start_device_solver(options.question, analysis.is_exact);
        run(series, options, *solver, analysis);
    } catch (const std::runtime_error& error) {  // cuda::CudaError
        analysis.error = error.what();
    }
}

}  // namespace

Analysis analyse(std::span<const double> series, const AnalysisOptions& options) {
    Analysis analysis;
    analysis.error = fault_of(series, options);
    if (!analysis.error.empty()) return analysis;
    analysis.is_exact = is_exact(series, options);
    try {
        if (suits_device(series, options)) {
            run_on_device(series, options, analysis);
            analysis.on_gpu = analysis.error.empty();
            if (analysis.on_gpu || options.processor == Processor::gpu) return analysis;
            analysis.gpu_error = std::exchange(analysis.error, {});
        }
        CpuSolver cpu;
        run(series, options, cpu, analysis);
    } catch (const std::bad_alloc&) {
        analysis.error = "not enough memory for a series of " + std::to_string(series.size()) + " values";
    }
    return analysis;
}

}  // namespace sluice::recurrence
