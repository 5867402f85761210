#include "gpu/tables/range_table.hpp"

#include <catch2/catch.hpp>
#include <limits>

using namespace sluice;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("range table: ranks decide as the bounds do") {
    RangeTable table;
    const std::vector<double> bounds = {-infinity, -1, 0, 0.5, 1, 7, infinity};
    for (const double lo : bounds) {
        for (const double hi : bounds) table.intern({3, lo, hi});
    }
    const std::uint32_t count = table.size();
    CHECK(count == bounds.size() * bounds.size());
    CHECK(table.intern({3, 0.5, 1}) < count);
    table.freeze();
    CHECK(table.has(3));
    CHECK_FALSE(table.has(2));
    CHECK_FALSE(table.has(4));
    for (const double least : {-infinity, -2.0, -1.0, -0.0, 0.25, 6.0, 7.0, 8.0, infinity}) {
        for (const double greatest : {least, 1.0, infinity}) {
            if (greatest < least) continue;
            const NumberPosition position = table.locate(3, least, greatest);
            for (std::uint32_t i = 0; i < count; ++i) {
                const Range r = table.range(i);
                CAPTURE(least, greatest, r.lo, r.hi);
                CHECK(position.inside(table.ranked(i)) == (greatest >= r.lo && least <= r.hi));
            }
        }
    }
}

TEST_CASE("range table: without numbers nothing holds") {
    RangeTable table;
    table.intern({0, -infinity, infinity});
    table.freeze();
    CHECK_FALSE(NumberPosition{}.inside(table.ranked(0)));
}

TEST_CASE("range table: how far a range reaches among the lower bounds") {
    RangeTable table;
    for (int i = 0; i < 10; ++i) table.intern({0, static_cast<double>(i), static_cast<double>(i) + 2.5});
    table.intern({0, 5, 1});
    table.freeze();
    CHECK(table.last_lo_inside(table.ranked(0)) == 2);
    CHECK(table.last_lo_inside(table.ranked(9)) == 9);
    CHECK(table.last_lo_inside(table.ranked(10)) == 5);
}
