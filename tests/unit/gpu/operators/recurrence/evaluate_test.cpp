#include "gpu/operators/recurrence/evaluate.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "gpu/operators/recurrence/reference.hpp"
#include "tests/unit/gpu/operators/recurrence/series_of.hpp"

using namespace sluice::recurrence;

namespace {

struct Answers {
    std::vector<double> values;
    Counters counters;
};

// Asks every question of every series.
Answers ask(const std::vector<std::vector<double>>& series, const std::vector<Question>& questions,
            const Options& options = {}) {
    const std::vector<std::span<const double>> spans(series.begin(), series.end());
    std::vector<Demand> demands;
    for (std::uint32_t s = 0; s < series.size(); ++s) {
        for (std::uint32_t q = 0; q < questions.size(); ++q) demands.push_back({s, q});
    }
    Answers answers;
    answers.values.assign(demands.size(), 99);
    CpuSolver solver;
    evaluate(spans, Questions(questions), demands, options, solver, answers.values, answers.counters);
    return answers;
}

double defined(const std::vector<double>& series, const Question& question) {
    const Lines lines = reference_lines(series, question.epsilon);
    switch (question.measure) {
        case Measure::recurrence_rate:
            return lines.recurrence_rate();
        case Measure::determinism:
            return lines.determinism(question.shortest);
        default:
            return lines.laminarity(question.shortest);
    }
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

TEST_CASE("answers are the reference's", "[recurrence]") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<std::vector<double>> series{
        series_of(Shape::noise, 70, 1), {}, {3}, series_of(Shape::walk, 130, 2), series_of(Shape::constant, 33, 3)};
    std::vector<Question> questions;
    for (const double epsilon : {0.3, -1.0, 0.0, nan, 0.7}) {
        for (const auto measure : {Measure::laminarity, Measure::recurrence_rate, Measure::determinism}) {
            for (const std::uint32_t shortest : {5u, 2u, 0u, 1u, 80u})
                questions.push_back({measure, epsilon, shortest});
        }
    }
    const auto answers = ask(series, questions);
    for (std::size_t s = 0; s < series.size(); ++s) {
        for (std::size_t q = 0; q < questions.size(); ++q) {
            INFO("series " << s << ", measure " << static_cast<int>(questions[q].measure) << ", epsilon "
                           << questions[q].epsilon << ", shortest " << questions[q].shortest);
            CHECK(same(answers.values[s * questions.size() + q], defined(series[s], questions[q])));
        }
    }
}

TEST_CASE("what is asked twice is computed once", "[recurrence]") {
    const std::vector<std::vector<double>> series{series_of(Shape::noise, 100, 1), series_of(Shape::noise, 50, 2)};
    std::vector<Question> questions(1000, {Measure::laminarity, 0.3, 2});
    questions.push_back({Measure::determinism, 0.3, 2});
    questions.push_back({Measure::determinism, 0.3, 3});
    questions.push_back({Measure::recurrence_rate, 0.3, 7});
    questions.push_back({Measure::recurrence_rate, 0.4, 7});
    const auto counters = ask(series, questions).counters;
    CHECK(counters.demands == 2 * 1004);
    CHECK(counters.matrices == 2 * 3);
    CHECK(counters.cells == 3 * (10000 + 2500));
    CHECK(counters.samplings == 0);
}

TEST_CASE("long series are sampled, but not for what sorting finds", "[recurrence]") {
    const std::vector<std::vector<double>> series{series_of(Shape::noise, 2001, 3), series_of(Shape::noise, 2000, 1),
                                                  series_of(Shape::noise, 1999, 2)};
    const std::vector<Question> questions{{Measure::recurrence_rate, 0.3, 0}, {Measure::laminarity, 0.3, 2},
                                          {Measure::determinism, 0.3, 3},     {Measure::determinism, 0.3, 3},
                                          {Measure::laminarity, 0.3, 17},     {Measure::determinism, 0.3, 17}};
    const Options options{.exact_points_max = 1999, .sorted_points_max = 2000};
    const auto answers = ask(series, questions, options);
    CHECK(answers.counters.samplings == 3);
    CHECK(answers.counters.unanswered == 3);
    for (std::size_t s = 0; s < series.size(); ++s) {
        for (std::size_t q = 0; q < questions.size(); ++q) {
            INFO("series " << s << ", question " << q);
            const double value = answers.values[s * questions.size() + q], right = defined(series[s], questions[q]);
            CHECK(same(value, ask({series[s]}, {questions[q]}, options).values[0]));
            if (series[s].size() <= exact_points(questions[q], options)) {
                CHECK(value == right);
            } else if (questions[q].shortest > 16) {
                CHECK(std::isnan(value));
            } else {
                CHECK(value != right);
                CHECK(value == Approx(right).margin(0.015).epsilon(0));
            }
        }
    }
    CHECK(exact_points(questions[1], options) == 2000);
    CHECK(exact_points(questions[2], options) == 1999);
    CHECK(exact_points(questions[2], {.exact_points_max = 3}) == 32);
}

// Counted value by value: how many are nearer than epsilon, by bisection.
TEST_CASE("recurrence rate and laminarity of very long series are exact", "[recurrence]") {
    const std::vector<double> series = series_of(Shape::walk, 70'000, 9);
    const double epsilon = 0.5;
    std::vector<double> sorted = series;
    std::sort(sorted.begin(), sorted.end());
    const auto near = [&](double low, double high) {  // how many are nearer than epsilon to both
        const auto begin =
            std::partition_point(sorted.begin(), sorted.end(), [&](double x) { return high - x >= epsilon; });
        const auto end =
            std::partition_point(sorted.begin(), sorted.end(), [&](double x) { return x - low < epsilon; });
        return static_cast<double>(std::max<std::ptrdiff_t>(end - begin, 0));
    };
    const auto stretches = [&](std::size_t length) {
        double sum = 0;
        for (std::size_t i = 0; i + length <= series.size(); ++i) {
            const auto [low, high] = std::minmax_element(&series[i], &series[i] + length);
            sum += near(*low, *high);
        }
        return sum;
    };
    const double n = static_cast<double>(series.size()), points = stretches(1);
    const auto values = ask({series}, {{Measure::recurrence_rate, epsilon, 0},
                                       {Measure::laminarity, epsilon, 2},
                                       {Measure::laminarity, epsilon, 5}})
                            .values;
    CHECK(values[0] == points / (n * n));
    CHECK(values[1] == (2 * stretches(2) - stretches(3)) / points);
    CHECK(values[2] == (5 * stretches(5) - 4 * stretches(6)) / points);
}

TEST_CASE("explain says when answers are sampled", "[recurrence]") {
    CHECK(describe({Measure::recurrence_rate, 0.1, 2}, {}) ==
          "exact at every size; false where the text is not a series of numbers");
    CHECK(describe({Measure::laminarity, 0.1, 2}, {}) ==
          "exact up to 1048576 values; beyond, estimated from 32 x 32 windows (standard error below 0.005); false "
          "where the text is not a series of numbers");
    CHECK(describe({Measure::determinism, 0.1, 2}, {}) ==
          "exact up to 16384 values; beyond, estimated from 32 x 32 windows (standard error below 0.005); false "
          "where the text is not a series of numbers");
    CHECK(describe({Measure::determinism, 0.1, 17}, {}) ==
          "exact up to 16384 values; no answer beyond, since lines of 17 are too long to be sampled; false where the "
          "text is not a series of numbers");
}

TEST_CASE("a batch parses each text once, and keeps what is wrong with it", "[recurrence]") {
    SeriesBatch batch;
    CHECK(batch.add("1 2 3") == 0);
    CHECK(batch.add("1 x") == 1);
    CHECK(batch.add("1 2 3") == 0);
    CHECK(batch.add("") == 2);
    CHECK(batch.errors() == 1);
    REQUIRE(batch.error(1));
    CHECK(batch.error(1)->message == "value 2 is not a number: \"x\"");
    CHECK_FALSE(batch.error(0));
    REQUIRE(batch.series().size() == 3);
    CHECK(std::vector<double>(batch.series()[0].begin(), batch.series()[0].end()) == std::vector<double>{1, 2, 3});
    CHECK(batch.series()[1].empty());
    CHECK(batch.series()[2].empty());
}
