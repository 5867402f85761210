#include "broker/base/log_limit.hpp"

#include <catch2/catch.hpp>

using namespace std::chrono_literals;
using sluice::base::LogLimit;

TEST_CASE("of a message that comes often lines are left out, and counted by the next one") {
    LogLimit limit;
    const LogLimit::Clock::time_point start{1h};
    for (int i = 0; i < LogLimit::at_once_max; ++i) CHECK(limit.take("often", start) == 0u);
    for (int i = 0; i < 7; ++i) CHECK_FALSE(limit.take("often", start));
    CHECK(limit.take("other", start) == 0u);
    CHECK(limit.take("often", start + LogLimit::interval) == 7u);
    CHECK_FALSE(limit.take("often", start + LogLimit::interval));
    CHECK(limit.take("often", start + 1h) == 1u);
    CHECK(limit.take("often", start + 1h) == 0u);
}
