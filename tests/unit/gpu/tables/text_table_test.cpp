#include "gpu/tables/text_table.hpp"

#include <catch2/catch.hpp>

using sluice::engine::none;
using sluice::engine::TextTable;

TEST_CASE("text table: equal pairs share an index, others do not") {
    TextTable table;
    const auto a = table.intern(0, "a");
    CHECK(table.intern(0, "a") == a);
    CHECK(table.intern(1, "a") != a);
    CHECK(table.intern(0, "b") != a);
    CHECK(table.size() == 3);
    CHECK(table.find(0, "a") == a);
    CHECK(table.find(2, "a") == none);
    CHECK(table.find(0, "") == none);
}

TEST_CASE("text table: bytes decide, also zeros and the empty text") {
    TextTable table;
    const auto zero = table.intern(0, std::string_view("\0", 1)), empty = table.intern(0, "");
    CHECK(zero != empty);
    CHECK(table.text(zero) == std::string_view("\0", 1));
    CHECK(table.text(empty).empty());
    CHECK(table.find(0, std::string_view("\0\0", 2)) == none);
}

TEST_CASE("text table: keeps all of many") {
    TextTable table;
    for (std::uint32_t i = 0; i < 5000; ++i) REQUIRE(table.intern(i % 7, std::to_string(i)) == i);
    table.shrink();
    for (std::uint32_t i = 0; i < 5000; ++i) {
        REQUIRE(table.find(i % 7, std::to_string(i)) == i);
        REQUIRE(table.text(i) == std::to_string(i));
        REQUIRE(table.attribute(i) == i % 7);
    }
}
