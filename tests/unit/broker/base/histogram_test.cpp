#include "broker/base/histogram.hpp"

#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

using sluice::base::Histogram;
using Numbers = std::vector<std::uint64_t>;

TEST_CASE("a value is in the first bucket whose bound it does not exceed", "[metrics]") {
    Histogram histogram(std::array<std::uint64_t, 3>{1, 10, 100});
    CHECK(histogram.snapshot().at_most == Numbers{0, 0, 0, 0});
    for (const std::uint64_t value : Numbers{0, 1, 2, 10, 11, 100}) histogram.add(value);
    CHECK(histogram.snapshot().at_most == Numbers{2, 4, 6, 6});
    CHECK(histogram.snapshot().count() == 6);
    CHECK(histogram.snapshot().sum == 124);
}

TEST_CASE("a value beyond all bounds counts in the last bucket only", "[metrics]") {
    Histogram histogram(std::array<std::uint64_t, 2>{1, 10});
    histogram.add(11);
    histogram.add(std::uint64_t{1} << 40);
    CHECK(histogram.snapshot().at_most == Numbers{0, 0, 2});
    CHECK(histogram.snapshot().sum == (std::uint64_t{1} << 40) + 11);
}

TEST_CASE("a histogram without bounds has a count and a sum", "[metrics]") {
    Histogram histogram({});
    histogram.add(7);
    CHECK(histogram.snapshot().at_most == Numbers{1});
    CHECK(histogram.snapshot().sum == 7);
}

TEST_CASE("the bounds of a histogram have to ascend", "[metrics]") {
    CHECK_THROWS_AS(Histogram(std::array<std::uint64_t, 2>{2, 1}), std::logic_error);
    CHECK_THROWS_AS(Histogram(std::array<std::uint64_t, 3>{1, 2, 2}), std::logic_error);
}

TEST_CASE("threads that add at once lose nothing, and who reads meanwhile sees no bucket shrink", "[metrics]") {
    constexpr std::uint64_t values = 30'000;
    Histogram histogram(std::array<std::uint64_t, 2>{0, 1});
    std::vector<std::thread> threads;
    std::atomic<int> adding = 3;
    for (int t = 0; t < 3; ++t)
        threads.emplace_back([&] {
            for (std::uint64_t i = 0; i < values; ++i) histogram.add(i % 3);
            --adding;
        });
    Numbers before{0, 0, 0};
    bool shrank = false;
    while (adding != 0) {
        const Numbers now = histogram.snapshot().at_most;
        for (std::size_t i = 0; i < now.size(); ++i) shrank |= now[i] < before[i] || (i > 0 && now[i] < now[i - 1]);
        before = now;
    }
    for (std::thread& thread : threads) thread.join();
    CHECK_FALSE(shrank);
    CHECK(histogram.snapshot().at_most == Numbers{values, 2 * values, 3 * values});
    CHECK(histogram.snapshot().sum == 3 * values);
}
