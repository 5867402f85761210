#include "broker/base/cpu_time.hpp"

#include <catch2/catch.hpp>

using namespace std::chrono_literals;

TEST_CASE("WorkTimer: short time → at most what has elapsed") {
    const auto before = std::chrono::steady_clock::now();
    const sluice::base::WorkTimer timer;
    const auto took = timer();
    CHECK(took >= 0s);
    CHECK(took <= std::chrono::steady_clock::now() - before);
}

TEST_CASE("WorkTimer: long time, mostly waited → at least a tenth of it, but not all") {
    sluice::base::WorkTimer timer;
    timer.exclude(-1h);  // as if it had begun an hour ago
    CHECK(timer() >= 6min);
    CHECK(timer() < 1h);
    timer.exclude(1h);
    CHECK(timer() < 6min);
}
