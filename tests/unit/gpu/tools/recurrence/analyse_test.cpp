#include "gpu/tools/recurrence/analyse.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "gpu/operators/recurrence/reference.hpp"
#include "gpu/tools/recurrence/plot.hpp"
#include "tests/unit/gpu/operators/recurrence/series_of.hpp"

using namespace sluice::recurrence;

namespace {

AnalysisOptions on_cpu(const LineQuestion& question, Algorithm algorithm, unsigned threads = 1) {
    AnalysisOptions options;
    options.question = question;
    options.algorithm = algorithm;
    options.processor = Processor::cpu;
    options.threads = threads;
    return options;
}

}  // namespace

TEST_CASE("an analysis counts or estimates, with any number of threads", "[recurrence]") {
    const auto series = series_of(Shape::walk, 3000, 5);
    const Lines lines = reference_lines(series, 1.5);
    for (unsigned threads = 1; threads <= 5; ++threads) {
        const Analysis exact = analyse(series, on_cpu({1.5, 3, 4}, Algorithm::automatic, threads));
        CHECK(exact.error.empty());
        CHECK(exact.is_exact);
        CHECK(exact.threads == threads);
        CHECK(exact.recurrence_rate.value == lines.recurrence_rate());
        CHECK(exact.determinism.value == lines.determinism(4));
        CHECK(exact.laminarity.value == lines.laminarity(3));

        AnalysisOptions options = on_cpu({1.5, 3, 4}, Algorithm::microstates, threads);
        options.windows = 10'000;
        const Analysis estimated = analyse(series, options);
        CHECK_FALSE(estimated.is_exact);
        CHECK(estimated.windows == 10'000);
        CHECK(estimated.threads == std::min(threads, 4U));
        MicrostateSums sums;
        add_microstates(series, {1.5, 3, 4}, {}, 0, 10'000, sums);
        CHECK(estimated.laminarity.value == estimate_laminarity(sums, 3, {}).value);
        CHECK(estimated.determinism.standard_error == estimate_determinism(sums, 4, {}).standard_error);
        CHECK(estimated.froguel_laminarity == froguel_laminarity(sums));
    }
}

TEST_CASE("an analysis chooses microstates for long series", "[recurrence]") {
    const auto series = series_of(Shape::noise, counted_points_max + 1, 5);
    const Analysis analysis = analyse(series, on_cpu({0.2, 2, 2}, Algorithm::automatic));
    CHECK_FALSE(analysis.is_exact);
    CHECK(analysis.laminarity.standard_error < 0.005);
}

TEST_CASE("an analysis can be stopped", "[recurrence]") {
    const auto series = series_of(Shape::noise, 20'000, 5);
    for (const auto algorithm : {Algorithm::exact, Algorithm::microstates}) {
        for (const std::uint32_t shortest : {2u, 90u}) {
            AnalysisOptions options = on_cpu({0.2, 2, shortest}, algorithm, 2);
            if (algorithm == Algorithm::microstates) options.question.l_min = 2;
            options.windows = windows_max;
            options.go_on = [](double) { return false; };
            const Analysis analysis = analyse(series, options);
            CHECK(analysis.error.empty());
            CHECK(analysis.stopped);
        }
    }
}

TEST_CASE("what can't be analysed", "[recurrence]") {
    const auto series = series_of(Shape::noise, 31, 5);
    const auto error = [&](const AnalysisOptions& options) { return analyse(series, options).error; };
    CHECK(error(on_cpu({1, 2, 2}, Algorithm::microstates)) ==
          "microstates of 32 x 32 need a series of at least 32 values, not of 31");
    AnalysisOptions options = on_cpu({1, 2, 5}, Algorithm::microstates);
    options.size = 8;
    CHECK(error(options) == "microstates of 8 x 8 count lines of at least 4 points at most, not of 5");
    options.size = 33;
    CHECK(error(options) == "microstates have a size from 2 to 32, not 33");
    options = on_cpu({1, 65, 2}, Algorithm::exact);
    CHECK(error(options).empty());
    options.processor = Processor::gpu;
    CHECK(error(options) == "a GPU counts lines of at least 64 points at most, not of 65");
    CHECK(std::isnan(analyse({}, on_cpu({1, 2, 2}, Algorithm::exact)).recurrence_rate.value));
}

TEST_CASE("a plot has the shares of recurrent cells", "[recurrence]") {
    for (const std::size_t n : {0u, 1u, 5u, 100u, 103u}) {
        const auto series = series_of(Shape::noise, n, 8);
        for (const std::size_t threads : {1u, 3u}) {
            const Plot made = plot(series, 0.3, 10, threads);
            REQUIRE(made.side == std::min<std::size_t>(n, 10));
            for (std::size_t row = 0; row < made.side; ++row) {
                for (std::size_t column = 0; column < made.side; ++column) {
                    int points = 0, cells = 0;
                    for (std::size_t i = row * n / made.side; i < (row + 1) * n / made.side; ++i) {
                        for (std::size_t j = column * n / made.side; j < (column + 1) * n / made.side; ++j, ++cells)
                            points += std::abs(series[i] - series[j]) < 0.3 ? 1 : 0;
                    }
                    CHECK(made.at(row, column) == static_cast<float>(static_cast<double>(points) / cells));
                }
            }
        }
    }
    CHECK(plot(series_of(Shape::constant, 5000, 1), 0.3, 2).shares == std::vector<float>{1, 1, 1, 1});
    CHECK(plot(series_of(Shape::constant, 50, 1), 0.3, 20, 1, [](double) { return false; }).side == 0);
}
