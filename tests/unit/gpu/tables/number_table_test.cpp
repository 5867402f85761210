#include "gpu/tables/number_table.hpp"

#include <catch2/catch.hpp>
#include <limits>

using sluice::engine::none;
using sluice::engine::NumberTable;

TEST_CASE("number table: numbers by value, zeros alike, attributes apart") {
    NumberTable table;
    const auto zero = table.intern(0, -0.0);
    CHECK(table.find(0, 0.0) == zero);
    CHECK(table.intern(0, 0.0) == zero);
    CHECK(table.find(1, 0.0) == none);
    const auto infinity = table.intern(0, std::numeric_limits<double>::infinity());
    CHECK(table.find(0, -std::numeric_limits<double>::infinity()) == none);
    CHECK(table.number(infinity) == std::numeric_limits<double>::infinity());
    CHECK(table.find(0, std::numeric_limits<double>::denorm_min()) == none);
    CHECK(table.find(0, std::numeric_limits<double>::quiet_NaN()) == none);
}
