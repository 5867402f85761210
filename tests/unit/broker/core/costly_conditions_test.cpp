#include "broker/core/costly_conditions.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace std::chrono_literals;
using sluice::broker::CostlyConditions;

TEST_CASE("the conditions that took most come first, each with all that it took") {
    CostlyConditions conditions;
    CHECK(conditions.worst(10).empty());
    CHECK_FALSE(conditions.add("a", {1, 0, 5ms, 5ms}));
    CHECK(conditions.add("b", {2, 1, 8ms, 7ms}));
    CHECK(conditions.add("a", {2, 1, 3ms, 2ms}));  // undecided for the first time
    CHECK_FALSE(conditions.add("a", {1, 1, 1ms, 1ms}));
    const auto worst = conditions.worst(10);
    REQUIRE(worst.size() == 2);
    CHECK(worst[0].text == "a");
    CHECK(worst[0].cost.evaluations == 4);
    CHECK(worst[0].cost.undecided == 2);
    CHECK(worst[0].cost.total == 9ms);
    CHECK(worst[0].cost.slowest == 5ms);
    CHECK(worst[1].text == "b");
    CHECK(conditions.worst(1).size() == 1);
}

TEST_CASE("conditions that exceeded a budget come first, and are forgotten last") {
    CostlyConditions conditions;
    conditions.add("undecided", {.undecided = 1});
    for (std::size_t i = 0; i < CostlyConditions::conditions_max + 10; ++i)
        conditions.add("c" + std::to_string(i), {1, 0, 1ms, 1ms});
    conditions.add("worse", {.undecided = 2});
    const auto worst = conditions.worst(2);
    CHECK(worst[0].text == "worse");
    CHECK(worst[1].text == "undecided");
}

TEST_CASE("where there are too many, the one that took least is forgotten") {
    CostlyConditions conditions;
    for (std::size_t i = 0; i < CostlyConditions::conditions_max + 10; ++i)
        conditions.add("c" + std::to_string(i), {1, 0, i * 1ms, 1ms});
    const auto worst = conditions.worst(10'000);
    CHECK(worst.size() == CostlyConditions::conditions_max);
    CHECK(worst.back().text == "c10");
}

TEST_CASE("long conditions are reported by their beginning, and are still two") {
    CostlyConditions conditions;
    const std::string text(CostlyConditions::text_bytes_max, 'x');
    conditions.add(text + "1", {1, 0, 2ms, 1ms});
    conditions.add(text + "2", {1, 0, 1ms, 1ms});
    const auto worst = conditions.worst(10);
    REQUIRE(worst.size() == 2);
    CHECK(worst[0].text == text + "…");
}
