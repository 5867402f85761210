#include "gpu/operators/recurrence/reference.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "tests/unit/gpu/operators/recurrence/series_of.hpp"

using namespace sluice::recurrence;

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
    CHECK(lines.vertical.count.size() == 12);
    CHECK(lines.diagonal.points(1) == 466130);
    CHECK(lines.diagonal.points(2) == 333726);
    CHECK(lines.diagonal.points(5) == 70324);
    CHECK(lines.diagonal.count.size() == 17);
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
        CHECK(none.vertical == LineLengths{});
    }
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
    CHECK(lines.vertical.count[10] == 10);
    CHECK(lines.diagonal.count.size() == 10);
    CHECK(std::accumulate(lines.diagonal.count.begin(), lines.diagonal.count.end(), 0u) == 18);
    CHECK(lines.determinism() == 88.0 / 90);
    CHECK(lines.determinism(0) == 1);
}

TEST_CASE("the Theiler window takes diagonals out of the diagonal lines only", "[recurrence]") {
    const auto x = series_of(Shape::constant, 10, 1);
    CHECK(reference_lines(x, 1, 0).diagonal.count.size() == 11);
    CHECK(reference_lines(x, 1, 0).diagonal.points(1) == 100);
    CHECK(reference_lines(x, 1, 3).diagonal.points(1) == 2 * (7 + 6 + 5 + 4 + 3 + 2 + 1));
    CHECK(reference_lines(x, 1, 3).points == 100);
    CHECK(reference_lines(x, 1, 11).diagonal == LineLengths{});
}
