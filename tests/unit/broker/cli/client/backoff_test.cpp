#include "broker/cli/client/backoff.hpp"

#include <catch2/catch.hpp>

using sluice::cli::Backoff;
using namespace std::chrono_literals;

TEST_CASE("waits double up to half a minute, and begin anew after a success") {
    Backoff backoff([] { return 1.0; });
    for (const auto wait : {500ms, 1000ms, 2000ms, 4000ms, 8000ms, 16'000ms, 30'000ms, 30'000ms})
        CHECK(backoff.next() == wait);
    backoff.reset();
    CHECK(backoff.next() == 500ms);
}

TEST_CASE("a wait is scattered over its second half") {
    double share = 0;
    Backoff backoff([&] { return share; });
    CHECK(backoff.next() == 250ms);
    share = 0.5;
    CHECK(backoff.next() == 750ms);
}

TEST_CASE("the broker says how long the first wait is, not that there is none later") {
    Backoff backoff([] { return 1.0; });
    backoff.set_first(0ms);
    CHECK(backoff.next() == 0ms);
    CHECK(backoff.next() == 100ms);
    CHECK(backoff.next() == 200ms);
    backoff.reset();
    backoff.set_first(90'000ms);
    CHECK(backoff.next() == 30'000ms);
}
