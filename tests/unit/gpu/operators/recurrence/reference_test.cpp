#include "gpu/operators/recurrence/reference.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "tests/unit/gpu/operators/recurrence/series_of.hpp"

using namespace sluice::recurrence;

TEST_CASE("the example of PyRQA's manual, digit for digit", "[recurrence]") {
    const std::vector<double> x{.1, .5, 1.3, .7, .8, 1.4, 1.6, 1.2, .4, 1.1, .8, .2, 1.3};
    const Lines lines = reference_lines(x, 0.65, {.dimension = 2, .delay = 2});
    const auto six = [](double value) { return std::round(value * 1e6) / 1e6; };
    CHECK(lines.vectors == 11);
    CHECK(lines.points == 45);
    CHECK(six(lines.recurrence_rate()) == 0.371901);
    CHECK(six(lines.determinism()) == 0.411765);
    CHECK(six(lines.diagonal.mean(2)) == 2.333333);
    CHECK(lines.diagonal.longest() == 3);
    CHECK(six(lines.divergence()) == 0.333333);
    CHECK(six(lines.diagonal.entropy(2)) == 0.636514);
    CHECK(six(lines.laminarity()) == 0.4);
    CHECK(six(lines.trapping_time()) == 2.571429);
    CHECK(lines.vertical.longest() == 4);
    CHECK(six(lines.vertical.entropy(2)) == 0.955700);
    CHECK(six(lines.white_vertical.mean(2)) == 2.538462);
    CHECK(lines.white_vertical.longest() == 6);
    CHECK(six(lines.white_vertical.entropy(2)) == 0.839796);
}

// Counted by numpy over the whole matrix of numpy.random.default_rng(1).random(1000).
TEST_CASE("a thousand random numbers, counted by numpy", "[recurrence]") {
    const auto x = numpy_series(1000);
    REQUIRE(x[0] == 0x1.060d7be6f245cp-1);
    REQUIRE(x[999] == 0x1.ecc946878beb2p-1);
    const Lines lines = reference_lines(x, 0.27);
    CHECK(lines.points == 467130);
    CHECK(lines.vertical.points(1) == 467130);
    CHECK(lines.vertical.points(2) == 341002);
    CHECK(lines.vertical.points(5) == 87654);
    CHECK(lines.vertical.longest() == 11);
    CHECK(lines.diagonal.points(1) == 466130);
    CHECK(lines.diagonal.points(2) == 333726);
    CHECK(lines.diagonal.points(5) == 70324);
    CHECK(lines.diagonal.longest() == 16);
}

TEST_CASE("measures of nothing", "[recurrence]") {
    const Lines empty = reference_lines({}, 1);
    CHECK(empty == Lines{});
    CHECK(std::isnan(empty.recurrence_rate()));
    const std::vector<double> x{1, 2, 3};
    for (const double epsilon : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
        const Lines none = reference_lines(x, epsilon);
        CHECK(none.recurrence_rate() == 0);
        CHECK(std::isnan(none.laminarity()));
        CHECK(std::isnan(none.determinism()));
        CHECK(none.vertical.longest() == 0);
        CHECK(none.vertical.entropy(2) == 0);
        CHECK(std::isinf(none.divergence()));
        CHECK(none.white_vertical.points(3) == 9);
    }
    CHECK(reference_lines(x, 1, {.dimension = 4}) == Lines{});
}

TEST_CASE("a distance of exactly epsilon does not recur", "[recurrence]") {
    const std::vector<double> x{0, 1, 2};
    CHECK(reference_lines(x, 1).points == 3);
    CHECK(reference_lines(x, std::nextafter(1, 2)).points == 7);
}

TEST_CASE("distances too large for a double are less than no epsilon", "[recurrence]") {
    const double most = std::numeric_limits<double>::max();
    const std::vector<double> x{most, -most};
    CHECK(reference_lines(x, most).points == 2);
    CHECK(reference_lines(x, std::numeric_limits<double>::infinity()).points == 2);
}

TEST_CASE("a constant series is one line each way", "[recurrence]") {
    const Lines lines = reference_lines(series_of(Shape::constant, 10, 1), 0.5);
    CHECK(lines.recurrence_rate() == 1);
    CHECK(lines.laminarity() == 1);
    CHECK(lines.trapping_time() == 10);
    CHECK(lines.diagonal.longest() == 9);
    CHECK(lines.diagonal.lines(1) == 18);
    CHECK(lines.determinism() == 88.0 / 90);
    CHECK(lines.determinism(0) == 1);
}

TEST_CASE("the Theiler window takes diagonals out of the diagonal lines only", "[recurrence]") {
    const auto x = series_of(Shape::constant, 10, 1);
    CHECK(reference_lines(x, 1, {.theiler = 0}).diagonal.longest() == 10);
    CHECK(reference_lines(x, 1, {.theiler = 0}).diagonal.points(1) == 100);
    CHECK(reference_lines(x, 1, {.theiler = 3}).diagonal.points(1) == 2 * (7 + 6 + 5 + 4 + 3 + 2 + 1));
    CHECK(reference_lines(x, 1, {.theiler = 3}).points == 100);
    CHECK(reference_lines(x, 1, {.theiler = 11}).diagonal == LineLengths{});
}

TEST_CASE("norms of embedded vectors", "[recurrence]") {
    const std::vector<double> x{0, 0, 3, 4};  // with delay 2: (0, 3) and (0, 4); with delay 1: (0, 0), (0, 3), (3, 4)
    const auto recur = [&](std::size_t i, std::size_t j, double epsilon, Norm norm) {
        return recurs(x, i, j, epsilon, {.dimension = 2, .norm = norm});
    };
    CHECK_FALSE(recur(0, 2, 5, Norm::euclidean));
    CHECK(recur(0, 2, 5.001, Norm::euclidean));
    CHECK_FALSE(recur(0, 2, 4, Norm::maximum));
    CHECK(recur(0, 2, 4.001, Norm::maximum));
    CHECK_FALSE(recur(0, 2, 7, Norm::taxicab));
    CHECK(recur(0, 2, 7.001, Norm::taxicab));
    CHECK(reference_lines(x, 1.5, {.dimension = 2, .delay = 2}).points == 4);
}
