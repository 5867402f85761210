#include "gpu/operators/recurrence/exact.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>

#include "gpu/operators/recurrence/reference.hpp"
#include "tests/unit/gpu/operators/recurrence/series_of.hpp"

using namespace sluice::recurrence;

namespace {

std::uint64_t lines_of(const LineLengths& lengths, std::size_t min) {
    std::uint64_t lines = 0;
    for (std::size_t k = std::max<std::size_t>(min, 1); k < lengths.count.size(); ++k) lines += lengths.count[k];
    return lines;
}

// The sums agree with the reference's line lengths.
void check(const LineSums& sums, const Lines& lines, const LineQuestion& question) {
    CHECK(sums.vectors == lines.vectors);
    CHECK(sums.vertical.points == lines.points);
    CHECK(sums.diagonal.points == lines.diagonal.points(1));
    if (question.v_min != 0) {
        CHECK(sums.vertical.min - sums.vertical.next == lines_of(lines.vertical, question.v_min));
        CHECK(sums.vertical.points_in_lines(question.v_min) == lines.vertical.points(question.v_min));
    }
    if (question.l_min != 0) {
        CHECK(sums.diagonal.min - sums.diagonal.next == lines_of(lines.diagonal, question.l_min));
        CHECK(sums.diagonal.points_in_lines(question.l_min) == lines.diagonal.points(question.l_min));
    }
}

void check(const std::vector<double>& series, const std::vector<LineQuestion>& questions, std::size_t theiler = 1,
           std::size_t threads = 1) {
    std::vector<Lines> expected;
    for (const auto& question : questions) expected.push_back(reference_lines(series, question.epsilon, theiler));
    for (const auto set : sluice::simd::instruction_sets()) {
        std::vector<LineSums> sums(questions.size());
        exact_line_sums(series, questions, sums, {.theiler = theiler, .threads = threads, .set = set});
        for (std::size_t q = 0; q < questions.size(); ++q) {
            INFO("n " << series.size() << ", " << sluice::simd::name_of(set) << ", epsilon " << questions[q].epsilon
                      << ", v_min " << questions[q].v_min << ", l_min " << questions[q].l_min << ", theiler " << theiler
                      << ", threads " << threads);
            check(sums[q], expected[q], questions[q]);
        }
    }
}

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("bit rows count as the reference does, at every size", "[recurrence]") {
    const std::vector<LineQuestion> questions{{0.27, 2, 2}, {0.1, 3, 5}, {0, 2, 2}, {0.5, 1, 1}};
    std::uint32_t seed = 0;
    for (const std::size_t n : {0u, 1u, 2u, 3u, 31u, 32u, 33u, 63u, 64u, 65u, 127u, 128u, 129u, 130u, 255u, 257u, 505u})
        check(series_of(Shape::noise, n, ++seed), questions);
}

TEST_CASE("bit rows at the borders of blocks", "[recurrence]") {
    std::uint32_t seed = 50;
    for (const std::size_t n : {509u, 510u, 511u, 512u, 513u, 1019u, 1020u, 1021u, 1025u})
        check(series_of(n % 2 == 0 ? Shape::walk : Shape::noise, n, ++seed), {{0.3, 2, 2}});
}

TEST_CASE("bit rows of every shape and threshold", "[recurrence]") {
    const auto shape = GENERATE(Shape::noise, Shape::few_values, Shape::walk, Shape::constant, Shape::huge);
    const double most = std::numeric_limits<double>::max();
    std::vector<LineQuestion> questions;
    for (const double epsilon :
         {0.0, -1.0, 0.25, 1e-300, 0.2500001, 3.0, 1e308, most, infinity, std::numeric_limits<double>::quiet_NaN()})
        questions.push_back({epsilon, 2, 2});
    check(series_of(shape, 150, 7), questions);
}

TEST_CASE("bit rows for every shortest line", "[recurrence]") {
    std::vector<LineQuestion> questions;
    for (std::uint32_t shortest = 0; shortest <= shortest_line_max + 2; ++shortest)
        questions.push_back({0.8, shortest, shortest});
    questions.push_back({0.8, 0, 2});
    questions.push_back({0.8, 7, 0});
    questions.push_back({0.8, 64, 2});
    check(series_of(Shape::walk, 200, 3), questions);
    check(series_of(Shape::constant, 140, 3), questions);
}

TEST_CASE("bit rows leave the Theiler window out", "[recurrence]") {
    for (const std::size_t theiler : {0u, 1u, 2u, 5u, 99u, 100u, 101u, 1000u})
        check(series_of(Shape::walk, 100, 11), {{1.5, 2, 2}, {1.5, 2, 9}, {1.5, 0, 0}}, theiler);
}

TEST_CASE("bit rows on several threads", "[recurrence]") {
    for (std::size_t threads = 1; threads <= 5; ++threads)
        check(series_of(Shape::noise, 1300, 5), {{0.2, 2, 2}, {0.4, 3, 4}}, 1, threads);
}

TEST_CASE("vertical lines of any length, by ranges", "[recurrence]") {
    for (const auto shape : {Shape::noise, Shape::few_values, Shape::walk, Shape::constant, Shape::huge}) {
        for (const std::size_t n : {0u, 1u, 2u, 64u, 65u, 150u}) {
            std::vector<LineQuestion> questions;
            for (const std::uint32_t v_min :
                 {1u, 2u, 3u, 5u, 31u, 32u, 33u, 63u, 64u, 65u, 149u, 150u, 151u, 4'000'000'000u})
                questions.push_back({0.6, v_min, 0});
            check(series_of(shape, n, static_cast<std::uint32_t>(n)), questions);
        }
    }
}

TEST_CASE("exact counting reports its progress and stops", "[recurrence]") {
    const auto series = series_of(Shape::noise, 5000, 5);
    const std::vector<LineQuestion> question{{0.27, 2, 2}};
    std::vector<LineSums> sums(1);
    std::vector<double> shares;
    const auto note = [&](double share) {
        shares.push_back(share);
        return shares.size() != 13;
    };
    CHECK(exact_line_sums(series, question, sums, {.go_on = note}));
    CHECK(shares.size() > 5);
    CHECK(std::is_sorted(shares.begin(), shares.end()));
    CHECK(shares.front() >= 0);
    CHECK(shares.back() < 1);
    CHECK_FALSE(exact_line_sums(series, question, sums, {.threads = 3, .go_on = [](double) { return false; }}));
}

TEST_CASE("the shares are those of the lines", "[recurrence]") {
    const auto series = numpy_series(1000);
    const std::vector<LineQuestion> question{{0.27, 2, 2}};
    std::vector<LineSums> sums(1);
    exact_line_sums(series, question, sums);
    CHECK(sums[0].recurrence_rate() == 0.46713);
    CHECK(sums[0].vertical.share(2) == 341002.0 / 467130);
    CHECK(sums[0].diagonal.share(2) == 333726.0 / 466130);
}
