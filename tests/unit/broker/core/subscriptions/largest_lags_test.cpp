#include "broker/core/subscriptions/largest_lags.hpp"

#include <catch2/catch.hpp>

using sluice::broker::LargestLags;

namespace {

using Names = LargestLags::Names;

}  // namespace

TEST_CASE("LargestLags: more subscriptions than places → those with the largest lags, the first names among equals") {
    LargestLags lags(3);
    CHECK(lags.choose({}).empty());
    CHECK(lags.choose({{"b", 0}, {"a", 0}}) == Names{"a", "b"});
    CHECK(LargestLags(3).choose({{"a", 0}, {"e", 1}, {"d", 9}, {"c", 1}, {"b", 1}}) == Names{"b", "c", "d"});
}

TEST_CASE("LargestLags: another lag → takes a place only from one less than half as large") {
    LargestLags lags(2);
    CHECK(lags.choose({{"a", 4}, {"b", 3}, {"c", 2}}) == Names{"a", "b"});
    CHECK(lags.choose({{"a", 4}, {"b", 3}, {"c", 6}}) == Names{"a", "b"});
    CHECK(lags.choose({{"a", 4}, {"b", 3}, {"c", 7}}) == Names{"a", "c"});
    CHECK(lags.choose({{"a", 0}, {"b", 5}, {"c", 2}, {"d", 6}}) == Names{"b", "d"});
}

TEST_CASE("LargestLags: a subscription is deleted → its place is free") {
    LargestLags lags(2);
    CHECK(lags.choose({{"a", 9}, {"b", 9}, {"c", 1}}) == Names{"a", "b"});
    CHECK(lags.choose({{"b", 9}, {"c", 1}, {"d", 2}}) == Names{"b", "d"});
}
