#include "gpu/tables/limits.hpp"

#include <catch2/catch.hpp>
#include <limits>

#include "tests/support/written_filter.hpp"

using namespace sluice;
using namespace sluice::engine;

namespace {

SegmentLoad load_with(Family family, std::uint64_t predicates) {
    SegmentLoad load;
    load.of(family) = predicates;
    return load;
}

testing::WrittenLiteral literal_of(const char* attribute, Operator op, const char* text = "", double number = 0) {
    return {{attribute, op, text, number}, false};
}

}  // namespace

TEST_CASE("SegmentLimits: every limit is named with the number that exceeds it") {
    const SegmentLimits limits{.predicates = 64, .measured = 8, .record_words = 1000, .entries = 100};
    CHECK(limits.excess(load_with(Family::number_equal, 70)) ==
          "70 number_equal predicates; a segment holds at most 64");
    CHECK(limits.excess(load_with(Family::exists, 65)) == "65 attributes; a segment holds at most 64");
    CHECK(limits.excess(load_with(Family::measured, 9)) == "9 measured predicates; a segment holds at most 8");
    SegmentLoad load;
    load.record_words = 1001;
    CHECK(limits.excess(load) == "1001 record words; a segment holds at most 1000");
    load.record_words = 1000;
    load.entries = 101;
    CHECK(limits.excess(load) == "101 subscriptions; a segment holds at most 100");
}

TEST_CASE("SegmentLimits: a load at the limit fits, one beyond does not") {
    const SegmentLimits limits{.predicates = 64, .measured = 8, .record_words = 1000, .entries = 100};
    for (std::size_t f = 0; f < families; ++f) {
        const auto family = static_cast<Family>(f);
        CHECK(limits.fit(load_with(family, limits.of(family))));
        CHECK(limits.excess(load_with(family, limits.of(family))).empty());
        CHECK_FALSE(limits.fit(load_with(family, limits.of(family) + 1)));
    }
    SegmentLoad load;
    load.record_words = 1000;
    load.entries = 100;
    CHECK(limits.fit(load));
    ++load.record_words;
    CHECK_FALSE(limits.fit(load));
    load.record_words = 0;
    ++load.entries;
    CHECK_FALSE(limits.fit(load));
}

TEST_CASE("SegmentLoad: loads add up by family") {
    SegmentLoad sum = load_with(Family::range, 3) + load_with(Family::range, 4);
    sum.entries = 2;
    sum += load_with(Family::equal, 1);
    CHECK(sum.of(Family::range) == 7);
    CHECK(sum.of(Family::equal) == 1);
    CHECK(sum.entries == 2);
}

TEST_CASE("load_bound: counts literals by family, their attributes, and the words of their records") {
    const Disjunction filter = testing::disjunction_of({
        {literal_of("a", Operator::equal, "x"), literal_of("b", Operator::less, "", 1)},
        {literal_of("a", Operator::exists), literal_of("key", Operator::scanned)},
        {literal_of("a", Operator::less, "", std::numeric_limits<double>::quiet_NaN())},  // impossible
    });
    const SegmentLoad load = load_bound(normalise(filter));
    CHECK(load.of(Family::equal) == 1);
    CHECK(load.of(Family::range) == 1);
    CHECK(load.of(Family::scanned) == 1);
    CHECK(load.of(Family::exists) == 3);
    CHECK(load.record_words == 6);
    CHECK(load.entries == 1);
}
