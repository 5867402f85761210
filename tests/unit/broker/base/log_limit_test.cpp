#include "broker/base/log_limit.hpp"

#include <catch2/catch.hpp>

using namespace std::chrono_literals;
using sluice::base::LogLimit;

TEST_CASE("of a message that comes often lines are left out, and counted by the next one") {
    LogLimit limit(10, 1s);
    const LogLimit::Clock::time_point start{1h};
    for (int i = 0; i < 10; ++i) CHECK(limit.take("often", start) == 0u);
    for (int i = 0; i < 7; ++i) CHECK_FALSE(limit.take("often", start));
    CHECK(limit.take("other", start) == 0u);
    CHECK(limit.take("often", start + 1s) == 7u);
    CHECK_FALSE(limit.take("often", start + 1s));
    CHECK(limit.take("often", start + 1h) == 1u);
    CHECK(limit.take("often", start + 1h) == 0u);
}

TEST_CASE("a message is logged once an hour, whatever came between") {
    LogLimit limit(1, 1h);
    const LogLimit::Clock::time_point start{};
    CHECK(limit.take("no driver", start));
    CHECK_FALSE(limit.take("no driver", start + 59min));
    CHECK(limit.take("out of memory", start + 59min));
    CHECK(limit.take("no driver", start + 60min) == 1u);
    CHECK_FALSE(limit.take("out of memory", start + 118min));
    limit.forget();
    CHECK(limit.take("no driver", start + 61min) == 0u);
    CHECK(limit.take("", start));
}

TEST_CASE("as many messages are remembered, no more") {
    LogLimit limit(1, 1h);
    const LogLimit::Clock::time_point now{};
    for (std::size_t i = 0; i < LogLimit::messages_max; ++i) CHECK(limit.take(std::to_string(i), now));
    CHECK_FALSE(limit.take("0", now));
    CHECK(limit.take("one more", now));
    CHECK(limit.take("0", now));
}
