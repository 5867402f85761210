// Recurrence quantification on a device: bench_gpu_recurrence. Prints a table row per measurement: kernels by graph
// replays (median), whole calls by the wall clock (least of many), next to simpler kernels and one core of the CPU in
// the same run. Exit status 1 if two methods disagree.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <vector>

#include "gpu/operators/recurrence/cuda_solver.hpp"
#include "gpu/operators/recurrence/exact_plan.hpp"
#include "gpu/operators/recurrence/kernels.cuh"
#include "gpu/operators/recurrence/microstate_window.hpp"
#include "tests/bench/gpu/graph_timer.hpp"
#include "tests/bench/gpu/recurrence_baselines.cuh"

using namespace sluice;
using namespace sluice::recurrence;

namespace {

bool agree = true;
void expect(bool equal, const char* what) {
    if (!equal) std::printf("WRONG: %s\n", what);
    agree = agree && equal;
}

std::vector<double> noise(std::size_t n, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<double> series(n);
    for (double& x : series) x = static_cast<double>(random()) * 0x1p-32;
    return series;
}

double least_microseconds(int times, const std::function<void()>& call) {
    double least = 1e300;
    for (int i = 0; i < times; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        call();
        const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
        if (took.count() < least) least = took.count();
    }
    return least;
}

void print(const char* what, double microseconds, double work, const char* unit) {
    std::printf("| %s | %.1f | %.4g %s |\n", what, microseconds, work / microseconds * 1e6 / 1e9, unit);
    std::fflush(stdout);
}

std::vector<ExactTask> every(std::size_t series, const std::vector<double>& thresholds) {
    std::vector<ExactTask> tasks;
    for (std::uint32_t s = 0; s < series; ++s) {
        for (const double epsilon : thresholds) tasks.push_back({s, {epsilon, 2, 2}, {}});
    }
    return tasks;
}

// The kernel alone, and the calls of both solvers, on some series and thresholds.
void exact(const char* name, const std::vector<std::vector<double>>& series, const std::vector<double>& thresholds,
           int calls, bool on_cpu) {
    const std::vector<std::span<const double>> spans(series.begin(), series.end());
    auto tasks = every(series.size(), thresholds);
    double cells = 0;
    for (const ExactTask& task : tasks) cells += std::pow(static_cast<double>(series[task.series].size()), 2);

    const auto plan = recurrence::cuda::make_plan(spans, tasks, 132);
    const auto values = sluice::cuda::to_device(std::span(plan.values));
    const auto work = sluice::cuda::to_device(std::span(plan.work));
    const auto questions = sluice::cuda::to_device(std::span(plan.questions));
    sluice::cuda::DeviceBuffer<recurrence::cuda::DeviceSums> sums(plan.questions.size());
    const double kernel = bench::graph_microseconds(
        [&](cudaStream_t stream) {
            recurrence::cuda::launch_exact(values.data(), work.data(), static_cast<std::uint32_t>(plan.work.size()),
                                           questions.data(), sums.data(), plan.rows_together, stream);
        },
        3, 11);
    char line[160];
    std::snprintf(line, sizeof line, "%s: kernel, %zu blocks", name, plan.work.size());
    print(line, kernel, cells, "Gcell/s");

    const auto device = make_cuda_solver();
    const double call = least_microseconds(calls, [&] { device->exact(spans, tasks, {}); });
    std::snprintf(line, sizeof line, "%s: call, copies included", name);
    print(line, call, cells, "Gcell/s");
    if (!on_cpu) return;
    CpuSolver cpu;
    auto expected = tasks;
    const double cpu_time = least_microseconds(1, [&] { cpu.exact(spans, expected, {}); });
    std::snprintf(line, sizeof line, "%s: one core", name);
    print(line, cpu_time, cells, "Gcell/s");
    bool equal = true;
    for (std::size_t t = 0; t < tasks.size(); ++t) equal = equal && tasks[t].sums == expected[t].sums;
    expect(equal, name);
}

void compared_cells(std::uint32_t n) {
    const auto series = noise(n, 1);
    const auto values = sluice::cuda::to_device(std::span<const double>(series));
    sluice::cuda::DeviceBuffer<unsigned long long> sums(5);
    sluice::cuda::check(cudaMemset(sums.data(), 0, sums.bytes()), "cudaMemset");
    const dim3 grid((n + 128 * bench::compared_columns - 1) / (128 * bench::compared_columns),
                    (n + bench::compared_rows - 1) / bench::compared_rows);
    bench::compare_cells<<<grid, 128>>>(values.data(), n, 0.27, sums.data());
    unsigned long long counted[5];
    sluice::cuda::check(cudaMemcpy(counted, sums.data(), sizeof counted, cudaMemcpyDeviceToHost), "cudaMemcpy");
    std::vector<ExactTask> tasks{{0, {0.27, 2, 2}, {}}};
    const std::vector<std::span<const double>> spans{series};
    make_cuda_solver()->exact(spans, tasks, {.theiler = 0});
    const LineSums& s = tasks[0].sums;
    expect(counted[0] == s.vertical.points && counted[1] == s.vertical.min && counted[2] == s.vertical.next &&
               counted[3] == s.diagonal.min && counted[4] == s.diagonal.next,
           "compared cells");
    const double time = bench::graph_microseconds(
        [&](cudaStream_t stream) {
            bench::compare_cells<<<grid, 128, 0, stream>>>(values.data(), n, 0.27, sums.data());
        },
        3, 11);
    print("n 102,400: each cell compared (baseline)", time, static_cast<double>(n) * n, "Gcell/s");
}

template <std::uint32_t size>
void microstates(std::uint32_t n, std::uint32_t windows, std::uint32_t block) {
    const auto series = noise(n, 3);
    const auto values = sluice::cuda::to_device(std::span<const double>(series));
    sluice::cuda::DeviceBuffer<unsigned long long> numbers(recurrence::cuda::microstate_numbers);
    sluice::cuda::check(cudaMemset(numbers.data(), 0, numbers.bytes()), "cudaMemset");
    char line[160];
    for (const LineQuestion& question : {LineQuestion{0.27, 2, 0}, LineQuestion{0.27, 2, 2}}) {
        const recurrence::cuda::MicrostateWork work{
            values.data(), n, question.epsilon, question.v_min, question.l_min, size, 1, 1, 0, windows};
        const double time = bench::graph_microseconds(
            [&](cudaStream_t stream) { recurrence::cuda::launch_microstates(work, numbers.data(), stream); });
        std::snprintf(line, sizeof line, "microstates n %u, %u windows of %u²: %s", n, windows, size,
                      question.l_min == 0 ? "laminarity" : "laminarity and determinism");
        print(line, time, static_cast<double>(windows), "Gwindow/s");
    }

    std::vector<float> single(series.begin(), series.end());
    std::vector<std::uint32_t> rows(windows), columns(windows);
    for (std::uint32_t w = 0; w < windows; ++w) {
        const auto place = window_place(1, w, n - size + 1);
        rows[w] = place.row;
        columns[w] = place.column;
    }
    const auto d_single = sluice::cuda::to_device(std::span<const float>(single));
    const auto d_rows = sluice::cuda::to_device(std::span<const std::uint32_t>(rows));
    const auto d_columns = sluice::cuda::to_device(std::span<const std::uint32_t>(columns));
    sluice::cuda::DeviceBuffer<float> lam(windows);
    const double time = bench::graph_microseconds(
        [&](cudaStream_t stream) {
            bench::froguel<size>
                <<<windows, block, 0, stream>>>(d_single.data(), d_rows.data(), d_columns.data(), 0.27f, 2, lam.data());
        },
        3, 11);
    std::snprintf(line, sizeof line, "microstates n %u, %u windows of %u²: Froguel's layout, %u threads (baseline)", n,
                  windows, size, block);
    print(line, time, static_cast<double>(windows), "Gwindow/s");
    std::vector<float> window_lam(windows);
    sluice::cuda::check(cudaMemcpy(window_lam.data(), lam.data(), lam.bytes(), cudaMemcpyDeviceToHost), "cudaMemcpy");
    double sum = 0, counted = 0;
    for (const float one : window_lam) {
        sum += one < 0 ? 0 : one;
        counted += one < 0 ? 0 : 1;
    }

    const auto device = make_cuda_solver();
    Options options;
    options.microstates = {.size = size, .windows_first = windows, .windows_max = windows};
    const auto mine = device->sample(series, {0.27, 2, 0}, options);
    expect(std::abs(froguel_laminarity(mine) - sum / counted) < 1e-5, "Froguel's mean");
    const auto estimate = estimate_laminarity(mine, 2, options.microstates);
    std::printf("mean over windows %.6f (his kernel %.6f), estimate %.6f ± %.6f\n", froguel_laminarity(mine),
                sum / counted, estimate.value, estimate.standard_error);
}

void sampled_call(std::uint32_t n) {
    const auto series = noise(n, 3);
    const auto device = make_cuda_solver();
    CpuSolver cpu;
    MicrostateSums by_device, by_cpu;
    const double gpu = least_microseconds(20, [&] { by_device = device->sample(series, {0.27, 2, 0}, {}); });
    const double one_core = least_microseconds(3, [&] { by_cpu = cpu.sample(series, {0.27, 2, 0}, {}); });
    expect(by_device == by_cpu, "sampled sums");
    char line[160];
    std::snprintf(line, sizeof line, "n %u: call that samples %llu windows, copies included", n,
                  static_cast<unsigned long long>(by_device.windows));
    print(line, gpu, static_cast<double>(by_device.windows), "Gwindow/s");
    std::snprintf(line, sizeof line, "n %u: the same, one core", n);
    print(line, one_core, static_cast<double>(by_device.windows), "Gwindow/s");
}

std::vector<double> thresholds(std::size_t count) {
    std::vector<double> all(count);
    for (std::size_t i = 0; i < count; ++i) all[i] = 0.01 + 0.5 * static_cast<double>(i) / static_cast<double>(count);
    return all;
}

std::vector<std::vector<double>> windows_of_readings(std::size_t count) {
    std::vector<std::vector<double>> series;
    for (std::size_t s = 0; s < count; ++s) series.push_back(noise(1000, 100 + static_cast<std::uint32_t>(s)));
    return series;
}

}  // namespace

int main() {
    if (sluice::cuda::device_count() == 0) {
        std::printf("no CUDA device\n");
        return 0;
    }
    std::printf("| what | microseconds | rate |\n| --- | --- | --- |\n");
    exact("n 102,400", {noise(102400, 1)}, {0.27}, 20, true);
    compared_cells(102400);
    exact("n 16,384", {noise(16384, 1)}, {0.27}, 20, true);
    exact("1 series of 1,000, 1 threshold", windows_of_readings(1), {0.27}, 50, true);
    exact("32 series of 1,000, 1 threshold", windows_of_readings(32), {0.27}, 50, true);
    exact("32 series of 1,000, 1,000 thresholds", windows_of_readings(32), thresholds(1000), 5, true);
    microstates<32>(102400, 102400, 256);
    microstates<32>(1638400, 1638400, 256);
    microstates<32>(1638400, 1638400, 64);
    microstates<16>(1638400, 1638400, 64);
    sampled_call(102400);
    sampled_call(1638400);
    return agree ? 0 : 1;
}
