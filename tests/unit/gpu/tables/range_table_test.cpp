#include "gpu/tables/range_table.hpp"

#include <catch2/catch.hpp>
#include <limits>

using namespace sluice;
using namespace sluice::engine;

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
    CHECK(table.bounds(3) == bounds.size());
    CHECK(table.bounds(2) == 0);
    CHECK(table.bounds(4) == 0);
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
