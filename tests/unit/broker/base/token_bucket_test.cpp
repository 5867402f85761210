#include "broker/base/token_bucket.hpp"

#include <catch2/catch.hpp>

using namespace std::chrono_literals;
using sluice::base::TokenBucket;

TEST_CASE("a bucket holds so many tokens, and gets them back one by one") {
    const TokenBucket::Clock::time_point start{1h};
    TokenBucket bucket;
    CHECK(bucket.is_full(start));
    for (int i = 0; i < 3; ++i) CHECK_FALSE(bucket.take(start, 10ms, 3));
    CHECK_FALSE(bucket.is_full(start));
    CHECK(bucket.take(start, 10ms, 3) == 10ms);
    CHECK(bucket.take(start + 4ms, 10ms, 3) == 6ms);
    CHECK_FALSE(bucket.take(start + 10ms, 10ms, 3));
    CHECK(bucket.take(start + 19ms, 10ms, 3) == 1ms);
    CHECK_FALSE(bucket.is_full(start + 39ms));
    CHECK(bucket.is_full(start + 40ms));
    // A long pause earns no more than the bucket holds.
    int granted = 0;
    while (!bucket.take(start + 1h, 10ms, 3)) ++granted;
    CHECK(granted == 3);
}

TEST_CASE("a token that is given back can be taken again, and a full bucket gains nothing by it") {
    const TokenBucket::Clock::time_point start{1h};
    TokenBucket bucket;
    for (int i = 0; i < 2; ++i) CHECK_FALSE(bucket.take(start, 10ms, 2));
    bucket.give_back(10ms);
    CHECK_FALSE(bucket.take(start, 10ms, 2));
    CHECK(bucket.take(start, 10ms, 2));
    bucket.give_back(10ms);
    bucket.give_back(10ms);
    CHECK(bucket.is_full(start));
    bucket.give_back(10ms);
    int granted = 0;
    while (!bucket.take(start, 10ms, 2)) ++granted;
    CHECK(granted == 2);
}
