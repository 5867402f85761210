#include "broker/server/http/request_arrival.hpp"

#include <catch2/catch.hpp>
#include <chrono>

using namespace std::chrono_literals;
using sluice::server::Connection;
using sluice::server::slow_body_deadline;

TEST_CASE("a body has a grace, then a least rate") {
    const Connection::Clock::time_point begun{1h};
    CHECK(slow_body_deadline(begun, 0, 1'000) == begun + 5s);
    CHECK(slow_body_deadline(begun, 2'500, 1'000) == begun + 7'500ms);
    CHECK(slow_body_deadline(begun, 1u << 30, 1) == begun + 5s + std::chrono::seconds(1u << 30));
    CHECK(slow_body_deadline(begun, 0, 0) == Connection::Clock::time_point::max());
}
