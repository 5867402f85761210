#include "gpu/operators/edits/costs.hpp"

#include <catch2/catch.hpp>

using namespace sluice::edits;

TEST_CASE("cost tables have names", "[approximate]") {
    CHECK(cost_table("unit") == CostTable::unit);
    CHECK(cost_table("typing") == CostTable::typing);
    CHECK(cost_table("vowels") == CostTable::vowels);
    CHECK_FALSE(cost_table("").has_value());
    CHECK_FALSE(cost_table("Unit").has_value());
}

TEST_CASE("unit costs are 1", "[approximate]") {
    const Costs costs(CostTable::unit);
    CHECK(costs.deletion() == 1);
    CHECK(costs.insertion() == 1);
    CHECK(costs.substitution('a', 'a') == 0);
    CHECK(costs.substitution('a', 'b') == 1);
    CHECK(costs.substitution(U'漢', U'字') == 1);
    CHECK(costs.longest_substring(32) == 64);
}

TEST_CASE("typing costs grow with the way between keys", "[approximate]") {
    const Costs costs(CostTable::typing);
    for (const char32_t neighbour : std::u32string_view(U"qwsz")) CHECK(costs.substitution('a', neighbour) == 1);
    for (const char32_t neighbour : std::u32string_view(U"weadzx")) CHECK(costs.substitution('s', neighbour) == 1);
    CHECK(costs.substitution('q', '1') == 1);
    CHECK(costs.substitution('q', '2') == 1);
    CHECK(costs.substitution('a', 'd') == 2);
    CHECK(costs.substitution('a', 'f') == 3);
    CHECK(costs.substitution('q', 'p') == 3);
    CHECK(costs.substitution('a', 'A') == 1);
    CHECK(costs.substitution('a', 'S') == 1);
    CHECK(costs.substitution('a', ' ') == 3);
    CHECK(costs.substitution(U'ß', U'漢') == 3);
    CHECK(costs.substitution(U'漢', U'漢') == 0);
    for (char32_t x = 0; x < 128; ++x) {
        for (char32_t y = 0; y < 128; ++y) REQUIRE(costs.substitution(x, y) == costs.substitution(y, x));
    }
}

TEST_CASE("vowels costs are those of the example", "[approximate]") {
    const Costs costs(CostTable::vowels);
    CHECK(costs.deletion() == 2);
    CHECK(costs.insertion() == 1);
    CHECK(costs.substitution('a', 'E') == 1);
    CHECK(costs.substitution('b', 'c') == 1);
    CHECK(costs.substitution('a', 'b') == 2);
    CHECK(costs.substitution('1', '2') == 2);
    CHECK(costs.substitution('a', '2') == 2);
    CHECK(costs.longest_substring(10) == 30);
}
