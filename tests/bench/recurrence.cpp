// Recurrence quantification on one core: bench_recurrence. The least processor time of several runs, so that other load
// on the machine matters little; every instruction set and the plain loops in turn, in one run.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "gpu/operators/recurrence/evaluate.hpp"
#include "gpu/operators/recurrence/exact.hpp"
#include "gpu/operators/recurrence/reference.hpp"

using namespace sluice::recurrence;

namespace {

std::vector<double> noise(std::size_t n, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<double> series(n);
    for (double& x : series) x = static_cast<double>(random()) * 0x1p-32;
    return series;
}

// The least processor seconds of a call, over as many calls as fit into half a second, at least two.
double seconds(const std::function<void()>& call) {
    double least = 1e300, all = 0;
    for (int i = 0; i < 2 || all < 0.5; ++i) {
        const std::clock_t begin = std::clock();
        call();
        const double took = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
        least = std::min(least, took);
        all += took;
    }
    return least;
}

void exact(std::size_t n) {
    const auto series = noise(n, 1);
    const double cells = static_cast<double>(n) * static_cast<double>(n);
    if (n <= 10000) {
        Lines lines;
        const double reference = seconds([&] { lines = reference_lines(series, 0.27); });
        std::printf("| %zu | plain loops | 1 | %.1f | %.3f |\n", n, reference * 1e6, cells / reference / 1e9);
    }
    for (const auto set : sluice::simd::instruction_sets()) {
        for (const std::size_t thresholds : {1u, 16u}) {
            if (thresholds > 1 && n > 30000) continue;
            std::vector<LineQuestion> questions(thresholds, {0.27, 2, 2});
            std::vector<LineSums> sums(thresholds);
            // Several calls together, since the processor's clock ticks in microseconds.
            const std::size_t calls = std::max<std::size_t>(1, 100'000'000 / (n * n));
            const double each = seconds([&] {
                                    for (std::size_t i = 0; i < calls; ++i)
                                        exact_line_sums(series, questions, sums, {.set = set});
                                }) /
                                static_cast<double>(calls * thresholds);
            std::printf("| %zu | %s | %zu | %.1f | %.1f |\n", n, sluice::simd::name_of(set), thresholds, each * 1e6,
                        cells / each / 1e9);
        }
    }
    std::fflush(stdout);
}

// A thousand subscribers of one feed with 1,000 readings per event, from text to values.
void subscribers(std::size_t thresholds) {
    std::vector<std::string> texts;
    for (std::uint32_t e = 0; e < 32; ++e) {
        std::string text;
        for (const double x : noise(1000, 100 + e)) text += std::to_string(x) + ' ';
        texts.push_back(text);
    }
    std::vector<Question> each;
    for (std::size_t q = 0; q < 1000; ++q)
        each.push_back({Measure::laminarity, 0.01 + 0.0005 * static_cast<double>(q % thresholds), 2});
    const Questions questions(each);
    Counters counters;
    const double batch = seconds([&] {
        SeriesBatch series;
        std::vector<Demand> demands;
        for (const std::string& text : texts) {
            const std::uint32_t index = series.add(text);
            for (std::uint32_t q = 0; q < 1000; ++q) demands.push_back({index, q});
        }
        std::vector<double> values(demands.size());
        CpuSolver solver;
        counters = {};
        evaluate(series.series(), questions, demands, {}, solver, values, counters);
    });
    std::printf("1000 subscribers, %zu thresholds: %.1f us an event, %llu matrices a batch of 32\n", thresholds,
                batch / 32 * 1e6, static_cast<unsigned long long>(counters.matrices));
}

void sampled(std::size_t n) {
    const auto series = noise(n, 3);
    CpuSolver solver;
    MicrostateSums sums;
    const double call = seconds([&] { sums = solver.sample(series, {0.27, 2, 0}, {}); });
    const Estimate laminarity = estimate_laminarity(sums, 2, {});
    std::printf("n %zu: %llu microstates in %.2f ms, laminarity %.5f ± %.5f\n", n,
                static_cast<unsigned long long>(sums.windows), call * 1e3, laminarity.value, laminarity.standard_error);
}

}  // namespace

int main() {
    std::printf("| n | how | thresholds | µs a threshold | Gcell/s |\n| --- | --- | --- | --- | --- |\n");
    for (const std::size_t n : {1000u, 10000u, 30000u, 102400u}) exact(n);
    for (const std::size_t thresholds : {1u, 10u, 1000u}) subscribers(thresholds);
    for (const std::size_t n : {102400u, 1638400u}) sampled(n);
}
