#include "broker/auth/attempts.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace sluice::auth;
using namespace std::chrono_literals;

namespace {

const Attempts::Clock::time_point start{std::chrono::hours(1)};

}  // namespace

TEST_CASE("so many attempts are possible at once, then one a second") {
    Attempts attempts(3);
    for (int i = 0; i < 3; ++i) CHECK_FALSE(attempts.take("a", start));
    CHECK(attempts.take("a", start) == Attempts::Clock::duration(1s));
    CHECK(attempts.take("a", start + 999ms) == Attempts::Clock::duration(1ms));
    CHECK_FALSE(attempts.take("a", start + 1s));
    CHECK(attempts.take("a", start + 1s));
    CHECK_FALSE(attempts.take("b", start + 1s));
}

TEST_CASE("attempts that were right are given back") {
    Attempts attempts(2);
    for (int i = 0; i < 100; ++i) {
        CHECK_FALSE(attempts.take("a", start));
        attempts.give_back("a");
    }
    CHECK_FALSE(attempts.take("a", start));
    CHECK_FALSE(attempts.take("a", start));
    CHECK(attempts.take("a", start));
}

TEST_CASE("a pause fills a bucket, and no more than that") {
    Attempts attempts(2);
    CHECK_FALSE(attempts.take("a", start));
    for (int i = 0; i < 2; ++i) CHECK_FALSE(attempts.take("a", start + 1h));
    CHECK(attempts.take("a", start + 1h));
}

TEST_CASE("keys without room share one bucket, until others are full again") {
    Attempts attempts(2, 3);
    for (const char* key : {"a", "b", "c"}) CHECK_FALSE(attempts.take(key, start + 10s));
    CHECK_FALSE(attempts.take("d", start + 10s));
    CHECK_FALSE(attempts.take("e", start + 10s));
    CHECK(attempts.take("f", start + 10s));
    CHECK(attempts.size() == 3);
    CHECK_FALSE(attempts.take("f", start + 20s));
    CHECK(attempts.size() == 1);
}

TEST_CASE("what a key gives back after its bucket has been swept is nobody's gain") {
    Attempts attempts(2, 1);
    CHECK_FALSE(attempts.take("a", start));
    for (int i = 0; i < 2; ++i) CHECK_FALSE(attempts.take("b", start + 10s));
    for (int i = 0; i < 2; ++i) CHECK_FALSE(attempts.take("c", start + 10s));
    attempts.give_back("a");
    CHECK(attempts.take("b", start + 10s));
    CHECK(attempts.take("c", start + 10s));
}
