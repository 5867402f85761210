#include "gpu/operators/recurrence/microstates.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "gpu/operators/recurrence/exact.hpp"
#include "gpu/operators/recurrence/microstate_window.hpp"
#include "gpu/operators/recurrence/reference.hpp"
#include "tests/unit/gpu/operators/recurrence/series_of.hpp"

using namespace sluice::recurrence;

namespace {

MicrostateSums added(const std::vector<double>& series, const LineQuestion& question, const MicrostateOptions& options,
                     std::uint64_t first, std::uint64_t windows) {
    MicrostateSums sums;
    add_microstates(series, question, options, first, windows, sums);
    return sums;
}

// Stretches of `length` ones in a cell-by-cell copy of a window, along (row, column) steps (0, 1) or (1, 1).
std::uint32_t stretches(const std::vector<std::vector<bool>>& window, std::uint32_t length, bool diagonal) {
    std::uint32_t count = 0;
    const std::size_t q = window.size();
    for (std::size_t r = 0; r < q; ++r) {
        for (std::size_t c = 0; c < q; ++c) {
            bool all = true;
            for (std::size_t k = 0; k < length; ++k) {
                const std::size_t row = diagonal ? r + k : r;
                all = all && row < q && c + k < q && window[row][c + k];
            }
            count += all;
        }
    }
    return count;
}

// Laminarity of one window, by Froguel's histogram of the runs in its rows.
double histogram_laminarity(const std::vector<std::vector<bool>>& window, std::size_t v_min) {
    LineLengths lengths;
    for (const auto& row : window) {
        std::size_t run = 0;
        for (std::size_t c = 0; c <= row.size(); ++c) {
            if (c < row.size() && row[c]) {
                ++run;
            } else {
                if (run > 0) lengths.add(run);
                run = 0;
            }
        }
    }
    return lengths.share(v_min);
}

}  // namespace

TEST_CASE("a microstate's sums are those of its cells", "[recurrence]") {
    const auto series = series_of(Shape::walk, 90, 3);
    for (const std::uint32_t size : {4u, 7u, 31u, 32u}) {
        for (const std::uint32_t shortest : {1u, 2u, 3u, size / 2}) {
            const MicrostateOptions options{.size = size, .seed = 9, .theiler = 2};
            for (std::uint64_t w = 0; w < 12; ++w) {
                const auto place = window_place(options.seed, w, static_cast<std::uint32_t>(90 - size + 1));
                std::vector<std::vector<bool>> window(size, std::vector<bool>(size)), outside = window;
                for (std::size_t r = 0; r < size; ++r) {
                    for (std::size_t c = 0; c < size; ++c) {
                        window[r][c] = std::abs(series[place.row + r] - series[place.column + c]) < 0.7;
                        const auto apart =
                            std::abs(static_cast<long>(place.row + r) - static_cast<long>(place.column + c));
                        outside[r][c] = window[r][c] && apart >= 2;
                    }
                }
                const auto sums = added(series, {0.7, shortest, shortest}, options, w, 1);
                const auto ones = stretches(window, 1, false), min = stretches(window, shortest, false),
                           next = stretches(window, shortest + 1, false);
                INFO("size " << size << ", shortest " << shortest << ", window " << w);
                CHECK(sums.windows == 1);
                CHECK(sums.vertical == MicrostateSums::Direction{ones, min, next, ones * ones, ones * min, ones * next,
                                                                 min * min, min * next, next * next});
                CHECK(sums.diagonal.ones == stretches(outside, 1, true));
                CHECK(sums.diagonal.min == stretches(outside, shortest, true));
                CHECK(sums.diagonal.next == stretches(outside, shortest + 1, true));
                CHECK(sums.nonempty == (ones != 0));
                if (ones != 0)
                    CHECK(froguel_laminarity(sums) ==
                          Approx(histogram_laminarity(window, shortest)).margin(0x1p-20).epsilon(0));
            }
        }
    }
}

TEST_CASE("microstates stand where the seed says, everywhere in the matrix", "[recurrence]") {
    std::set<std::uint32_t> rows, columns;
    std::set<std::pair<std::uint32_t, std::uint32_t>> places;
    for (std::uint64_t w = 0; w < 1000; ++w) {
        const auto place = window_place(1, w, 10);
        rows.insert(place.row);
        columns.insert(place.column);
        places.emplace(place.row, place.column);
    }
    CHECK(rows.size() == 10);
    CHECK(columns.size() == 10);
    CHECK(places.size() == 100);
    CHECK(*rows.rbegin() == 9);
    CHECK(window_place(1, 5, 1u << 24).row != window_place(2, 5, 1u << 24).row);
}

TEST_CASE("microstates can be added in parts", "[recurrence]") {
    const auto series = series_of(Shape::noise, 500, 3);
    const LineQuestion question{0.2, 2, 3};
    auto parts = added(series, question, {}, 0, 30);
    add_microstates(series, question, {}, 30, 70, parts);
    CHECK(parts == added(series, question, {}, 0, 100));
    CHECK_FALSE(parts == added(series, question, {.seed = 2}, 0, 100));
}

TEST_CASE("microstates on any number of threads have the same sums", "[recurrence]") {
    const auto series = series_of(Shape::walk, 3000, 3);
    const LineQuestion question{1.5, 2, 3};
    for (const std::uint64_t windows : {0u, 1u, 1000u, 16384u, 16385u, 100000u}) {
        const auto expected = added(series, question, {}, 7, windows);
        for (std::size_t threads = 1; threads <= 5; ++threads) {
            MicrostateSums sums;
            double latest = 0;
            CHECK(add_microstates_on_threads(
                series, question, {}, 7, windows, threads,
                [&](double share) {
                    CHECK(share >= latest);
                    latest = share;
                    return true;
                },
                sums));
            CHECK(sums == expected);
            CHECK(latest < 1);
        }
    }
    MicrostateSums sums;
    CHECK_FALSE(add_microstates_on_threads(
        series, question, {}, 0, 1'000'000'000'000, 2, [](double) { return false; }, sums));
}

TEST_CASE("the instruction sets' windows are the same", "[recurrence]") {
    const auto series = series_of(Shape::few_values, 64, 3);
    for (std::uint32_t size = 1; size <= 32; ++size) {
        for (const double epsilon : {0.0, 0.25, 0.3, 1e9, std::nan("")}) {
            std::uint32_t plain[32] = {}, best[32] = {};
            window_rows(sluice::simd::InstructionSet::portable)(&series[64 - size], &series[10], size, epsilon, plain);
            window_rows(sluice::simd::best_instruction_set())(&series[64 - size], &series[10], size, epsilon, best);
            CHECK(std::equal(plain, plain + 32, best));
        }
    }
}

TEST_CASE("estimates are within their standard error of the exact values", "[recurrence]") {
    const auto shape = GENERATE(Shape::noise, Shape::walk);
    const double epsilon = shape == Shape::noise ? 0.27 : 2;
    const auto series = series_of(shape, 20000, 4);
    const std::vector<LineQuestion> question{{epsilon, 2, 2}};
    std::vector<LineSums> exact(1);
    exact_line_sums(series, question, exact);
    const MicrostateOptions options;
    const auto sums = sample_microstates(question[0], options, [&](auto first, auto windows, auto& to) {
        add_microstates(series, question[0], options, first, windows, to);
        return true;
    });
    const auto near = [](const Estimate& estimate, double value) {
        INFO(estimate.value << " ± " << estimate.standard_error << ", exact " << value);
        CHECK(estimate.standard_error < 0.005);
        CHECK(estimate.standard_error > 0);
        CHECK(std::abs(estimate.value - value) < 4 * estimate.standard_error);
    };
    near(estimate_recurrence_rate(sums, options), exact[0].recurrence_rate());
    near(estimate_laminarity(sums, 2, options), exact[0].vertical.share(2));
    near(estimate_determinism(sums, 2, options), exact[0].diagonal.share(2));
    CHECK(froguel_laminarity(sums) < exact[0].vertical.share(2));  // the windows' borders cut lines
}

TEST_CASE("the standard error is the spread over seeds", "[recurrence]") {
    const auto series = series_of(Shape::walk, 3000, 4);
    const LineQuestion question{1, 2, 0};
    double sum = 0, squares = 0, claimed = 0;
    constexpr int seeds = 60;
    for (int seed = 0; seed < seeds; ++seed) {
        const MicrostateOptions options{.seed = static_cast<std::uint64_t>(seed)};
        const auto estimate = estimate_laminarity(added(series, question, options, 0, 500), 2, options);
        sum += estimate.value;
        squares += estimate.value * estimate.value;
        claimed += estimate.standard_error / seeds;
    }
    const double spread = std::sqrt((squares - sum * sum / seeds) / (seeds - 1));
    CHECK(claimed > spread / 1.5);
    CHECK(claimed < spread * 1.5);
}

TEST_CASE("sampling doubles until it is exact enough, or enough", "[recurrence]") {
    const auto series = series_of(Shape::walk, 3000, 4);
    const auto windows = [&](double standard_error, double epsilon) {
        const MicrostateOptions options{.standard_error = standard_error, .windows_first = 64, .windows_max = 1000};
        const LineQuestion question{epsilon, 2, 0};
        return sample_microstates(question, options, [&](auto first, auto count, auto& to) {
            add_microstates(series, question, options, first, count, to);
            return true;
        });
    };
    CHECK(windows(1, 1).windows == 64);
    CHECK(windows(0, 1).windows == 1000);
    const auto none = windows(1, 0);  // no point, no standard error
    CHECK(none.windows == 1000);
    CHECK(std::isnan(estimate_laminarity(none, 2, {}).value));
    CHECK(std::isnan(froguel_laminarity(none)));
    CHECK(estimate_recurrence_rate(none, {}).value == 0);
}
