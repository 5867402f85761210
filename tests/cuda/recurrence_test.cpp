#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

#include "gpu/operators/recurrence/cuda_solver.hpp"
#include "gpu/operators/recurrence/reference.hpp"
#include "tests/cuda/on_device.hpp"
#include "tests/unit/gpu/operators/recurrence/series_of.hpp"

using namespace sluice::recurrence;
using sluice::testing::has_device;

namespace {

std::size_t rounds() {
    const char* text = std::getenv("SLUICE_TEST_ROUNDS");
    return text ? std::strtoul(text, nullptr, 10) : 1;
}

// The device's sums for every question and series equal the CPU's.
void check(Solver& device, const std::vector<std::vector<double>>& series, const std::vector<LineQuestion>& questions,
           const Options& options = {}) {
    const std::vector<std::span<const double>> spans(series.begin(), series.end());
    std::vector<ExactTask> expected;
    for (std::uint32_t s = 0; s < series.size(); ++s) {
        for (const LineQuestion& question : questions) expected.push_back({s, question, {}});
    }
    std::vector<ExactTask> tasks = expected;
    CpuSolver cpu;
    cpu.exact(spans, expected, options);
    device.exact(spans, tasks, options);
    for (std::size_t t = 0; t < tasks.size(); ++t) {
        INFO("n " << series[tasks[t].series].size() << ", epsilon " << tasks[t].question.epsilon << ", v_min "
                  << tasks[t].question.v_min << ", l_min " << tasks[t].question.l_min);
        CHECK(tasks[t].sums == expected[t].sums);
    }
}

// The device's shares are those of the reference's lines.
void check_reference(Solver& device, const std::vector<double>& series, const std::vector<LineQuestion>& questions) {
    const std::vector<std::span<const double>> spans{series};
    std::vector<ExactTask> tasks;
    for (const LineQuestion& question : questions) tasks.push_back({0, question, {}});
    device.exact(spans, tasks, {});
    const Lines lines = reference_lines(series, questions.front().epsilon, 1);
    for (const ExactTask& task : tasks) {
        const LineQuestion& question = task.question;
        INFO("n " << series.size() << ", v_min " << question.v_min << ", l_min " << question.l_min);
        CHECK(task.sums.vertical.points == lines.points);
        CHECK(task.sums.vertical.points_in_lines(question.v_min) == lines.vertical.points(question.v_min));
        CHECK(task.sums.diagonal.points == lines.diagonal.points(1));
        CHECK(task.sums.diagonal.points_in_lines(question.l_min) == lines.diagonal.points(question.l_min));
    }
}

// Every shortest line, in both directions, with every third of the other direction's.
std::vector<LineQuestion> shortest_lines(double epsilon) {
    const std::vector<std::uint32_t> shortest{1, 2, 3, 4, 5, 8, 9, 16, 17, 31, 32, 33, 63, 64, 65};
    std::vector<LineQuestion> questions;
    for (std::size_t v = 0; v < shortest.size(); ++v) {
        for (std::size_t l = v % 3; l < shortest.size(); l += 3)
            questions.push_back({epsilon, shortest[v], shortest[l]});
    }
    return questions;
}

std::vector<LineQuestion> thresholds() {
    const double infinity = std::numeric_limits<double>::infinity();
    std::vector<LineQuestion> questions;
    for (const double epsilon : {0.25, 0.0, -1.0, 1e-300, 0.3, 2.0, 1e308, infinity, std::nan("")})
        questions.push_back({epsilon, 2, 2});
    questions.push_back({0.3, 0, 0});
    questions.push_back({0.3, 2, 0});
    questions.push_back({0.3, 0, 2});
    questions.push_back({0.3, 5, 3});
    return questions;
}

}  // namespace

TEST_CASE("a device counts lines as the CPU does", "[cuda][recurrence]") {
    if (!has_device()) return;
    const auto device = make_cuda_solver();
    std::uint32_t seed = 0;
    for (std::size_t round = 0; round < rounds(); ++round) {
        for (const auto shape : {Shape::noise, Shape::few_values, Shape::walk, Shape::constant, Shape::huge}) {
            std::vector<std::vector<double>> series;
            for (const std::size_t n :
                 {0u, 1u, 2u, 3u, 31u, 32u, 33u, 63u, 64u, 65u, 127u, 255u, 1000u, 1021u, 1022u, 1023u, 1024u})
                series.push_back(series_of(shape, n, ++seed));
            check(*device, series, thresholds());
            series.clear();
            for (const std::size_t n : {1u, 1025u, 1026u, 2043u, 2045u, 2048u, 2049u, 4099u})
                series.push_back(series_of(shape, n, ++seed));
            check(*device, series, thresholds(), {.theiler = 3});
        }
    }
}

TEST_CASE("a device counts lines of every shortest length", "[cuda][recurrence]") {
    if (!has_device()) return;
    const auto device = make_cuda_solver();
    std::uint32_t seed = 1000;
    for (std::size_t round = 0; round < rounds(); ++round) {
        for (const auto shape : {Shape::noise, Shape::few_values, Shape::walk, Shape::constant}) {
            for (const double epsilon : {0.6, 2.5}) {
                std::vector<std::vector<double>> series;
                for (const std::size_t n : {0u, 1u, 2u, 31u, 33u, 500u, 960u, 1023u, 1024u, 1025u, 2100u})
                    series.push_back(series_of(shape, n, ++seed));
                auto questions = shortest_lines(epsilon);
                check_reference(*device, series[5], questions);
                check_reference(*device, series.back(), questions);
                for (const std::uint32_t shortest : {1u, 3u, 64u, 65u}) {
                    questions.push_back({epsilon, shortest, 0});
                    questions.push_back({epsilon, 0, shortest});
                }
                check(*device, series, questions);
                check(*device, {series.back()}, questions, {.theiler = 7});
            }
        }
    }
}

TEST_CASE("a device reports its progress and stops", "[cuda][recurrence]") {
    if (!has_device()) return;
    const auto device = make_cuda_solver();
    const auto series = series_of(Shape::noise, 300'000, 3);
    const std::vector<std::span<const double>> spans{series};
    const LineQuestion question{0.1, 2, 2};
    std::vector<ExactTask> tasks{{0, question, {}}}, expected = tasks;
    device->exact(spans, expected, {});
    std::vector<double> shares;
    Options options;
    options.go_on = [&](double share) {
        shares.push_back(share);
        return true;
    };
    device->exact(spans, tasks, options);
    CHECK(tasks[0].sums == expected[0].sums);
    CHECK(shares.size() > 1);
    CHECK(std::is_sorted(shares.begin(), shares.end()));
    options.go_on = [](double) { return false; };
    device->exact(spans, tasks, options);
    CHECK(tasks[0].sums.vertical.points == 0);
    options.microstates.windows_first = options.microstates.windows_max = std::uint64_t{1} << 40;
    CHECK(device->sample(series, question, options).windows == 0);
    options.go_on = nullptr;
    device->exact(spans, tasks, options);
    CHECK(tasks[0].sums == expected[0].sums);
}

TEST_CASE("a device counts random series", "[cuda][recurrence]") {
    if (!has_device()) return;
    const auto device = make_cuda_solver();
    std::mt19937 random(7);
    for (std::size_t round = 0; round < 3 * rounds(); ++round) {
        std::vector<std::vector<double>> series(1 + random() % 40);
        for (auto& one : series)
            one = series_of(static_cast<Shape>(random() % 3), random() % 1500, static_cast<std::uint32_t>(random()));
        std::vector<LineQuestion> questions(1 + random() % 30);
        for (auto& question : questions) {
            question.epsilon = static_cast<double>(random() % 1000) / 500;
            if (random() % 3 == 0) question.v_min = static_cast<std::uint32_t>(random() % 70);
            if (random() % 3 == 0) question.l_min = static_cast<std::uint32_t>(random() % 70);
        }
        check(*device, series, questions);
    }
}

TEST_CASE("a device counts a long series", "[cuda][recurrence]") {
    if (!has_device()) return;
    const auto device = make_cuda_solver();
    check(*device, {series_of(Shape::walk, 30011, 7), series_of(Shape::noise, 9000, 8)}, {{0.3, 2, 2}, {1, 2, 2}});
}

TEST_CASE("a device samples the CPU's microstates", "[cuda][recurrence]") {
    if (!has_device()) return;
    const auto device = make_cuda_solver();
    CpuSolver cpu;
    std::uint32_t seed = 100;
    for (const auto shape : {Shape::noise, Shape::walk, Shape::few_values, Shape::constant}) {
        for (const std::uint32_t size : {5u, 31u, 32u}) {
            for (const std::uint64_t windows : {1u, 31u, 33u, 3000u}) {
                for (const LineQuestion& question : std::vector<LineQuestion>{
                         {0.3, 2, 0}, {0.3, 0, 2}, {0.3, 2, 2}, {0.3, 0, 0}, {0.3, 1, 0}, {0.6, 0, 16}, {0.6, 16, 3}}) {
                    Options options;
                    options.microstates = {.size = size, .seed = ++seed, .standard_error = 0};
                    options.microstates.windows_first = windows / 2 + 1;
                    options.microstates.windows_max = windows;
                    options.microstates.theiler = seed % 4;
                    const auto series = series_of(shape, size + seed % 50 * 20, seed);
                    INFO("n " << series.size() << ", size " << size << ", windows " << windows << ", v_min "
                              << question.v_min << ", l_min " << question.l_min);
                    CHECK(device->sample(series, question, options) == cpu.sample(series, question, options));
                }
            }
        }
    }
}

TEST_CASE("a device answers what the CPU answers", "[cuda][recurrence]") {
    if (!has_device()) return;
    const auto device = make_cuda_solver();
    CpuSolver cpu;
    const std::vector<std::vector<double>> series{series_of(Shape::noise, 700, 1), series_of(Shape::walk, 20000, 2)};
    const std::vector<std::span<const double>> spans(series.begin(), series.end());
    std::vector<Question> questions;
    std::vector<Demand> demands;
    for (const auto measure : {Measure::recurrence_rate, Measure::determinism, Measure::laminarity}) {
        for (const std::uint32_t shortest : {2u, 4u}) questions.push_back({measure, 0.4, shortest});
    }
    for (std::uint32_t q = 0; q < questions.size(); ++q) {
        demands.push_back({0, q});
        demands.push_back({1, q});
    }
    std::vector<double> by_cpu(demands.size()), by_device(demands.size());
    Counters counters;
    evaluate(spans, Questions(questions), demands, {}, cpu, by_cpu, counters);
    evaluate(spans, Questions(questions), demands, {}, *device, by_device, counters);
    CHECK(by_device == by_cpu);
}
