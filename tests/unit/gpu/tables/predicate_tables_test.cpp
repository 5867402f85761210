#include "gpu/tables/predicate_tables.hpp"

#include <catch2/catch.hpp>
#include <limits>

using namespace sluice;
using namespace sluice::engine;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

LiteralCode intern(PredicateTables& tables, Family family, std::uint32_t name, std::string_view text = {},
                   double lo = 0, double hi = 0) {
    return tables.intern(Term{family, {}, text, lo, hi}, name);
}

LiteralCode negated(LiteralCode code) { return LiteralCode(code.bits() | 1); }

}  // namespace

TEST_CASE("predicate tables: which predicates an event makes true, family by family") {
    PredicateTables tables;
    const auto exists = intern(tables, Family::exists, 9), other = intern(tables, Family::exists, 4);
    const auto equal = intern(tables, Family::equal, 9, "ab"), unequal = intern(tables, Family::equal, 9, "abc");
    const auto contains = intern(tables, Family::contains, 9, "b"),
               starts = intern(tables, Family::starts_with, 9, "a");
    const auto ends = intern(tables, Family::ends_with, 9, "ab"), not_ab = intern(tables, Family::not_equal, 9, "ab");
    const auto not_b = intern(tables, Family::not_equal, 9, "b");
    const auto two = intern(tables, Family::number_equal, 9, {}, 2),
               not_two = intern(tables, Family::number_not_equal, 9, {}, 2);
    const auto range = intern(tables, Family::range, 9, {}, 1, 3), above = intern(tables, Family::range, 9, {}, 3, 4);
    const auto absent = intern(tables, Family::not_equal, 4, "x");
    tables.freeze();

    EventState state;
    const std::vector<Value> event = {{9, "ab", 2}, {11, "unknown", 3}};
    tables.evaluate(event, state);
    for (const LiteralCode code : {exists, equal, contains, starts, ends, not_b, two, range}) {
        CAPTURE(code.bits());
        CHECK(tables.holds(code, state));
        CHECK_FALSE(tables.holds(negated(code), state));
    }
    for (const LiteralCode code : {other, unequal, not_ab, not_two, above, absent}) {
        CAPTURE(code.bits());
        CHECK_FALSE(tables.holds(code, state));
        CHECK(tables.holds(negated(code), state));
    }
    tables.forget(state);
    CHECK_FALSE(tables.holds(exists, state));
    CHECK_FALSE(tables.holds(range, state));
}

TEST_CASE("predicate tables: several values satisfy != when they differ, and NaN always does") {
    PredicateTables tables;
    const auto not_a = intern(tables, Family::not_equal, 0, "a");
    const auto not_1 = intern(tables, Family::number_not_equal, 0, {}, 1);
    tables.freeze();
    const auto holds = [&](std::vector<Value> event, LiteralCode code) {
        EventState state;
        tables.evaluate(event, state);
        return tables.holds(code, state);
    };
    CHECK_FALSE(holds({{0, "a", 1}, {0, "a", 1}}, not_a));
    CHECK(holds({{0, "a", 1}, {0, "b", 1}}, not_a));
    CHECK_FALSE(holds({}, not_a));
    CHECK_FALSE(holds({{0, "a", 1}, {0, "b", 1}}, not_1));
    CHECK(holds({{0, "a", 1}, {0, "b", not_a_number}}, not_1));
    CHECK(holds({{0, "a", not_a_number}}, not_1));
    CHECK_FALSE(holds({}, not_1));
}

TEST_CASE("predicate tables: what shared values make true can be added to any event's state") {
    PredicateTables tables;
    const auto own = intern(tables, Family::equal, 1, "own"), shared = intern(tables, Family::equal, 2, "b");
    const auto range = intern(tables, Family::range, 2, {}, 1, 3), other = intern(tables, Family::equal, 2, "x");
    const auto not_a = intern(tables, Family::not_equal, 2, "a");
    tables.freeze();
    const std::vector<Value> event = {{1, "own", not_a_number}}, group = {{2, "a", 2}, {2, "b", not_a_number}};
    EventState state;
    tables.evaluate(event, state);
    const Evaluated evaluated = tables.evaluate_apart(group, state);
    CHECK(evaluated.size() == 3);  // exists, equal to b, its numbers
    CHECK(tables.holds(own, state));
    for (const LiteralCode code : {shared, range, other, not_a}) CHECK_FALSE(tables.holds(code, state));
    tables.forget(state);

    EventState fresh;
    for (EventState* s : {&state, &fresh}) {
        tables.add(evaluated, *s);
        for (const LiteralCode code : {shared, range, not_a}) CHECK(tables.holds(code, *s));
        for (const LiteralCode code : {own, other}) CHECK_FALSE(tables.holds(code, *s));
        tables.forget(*s);
        for (const LiteralCode code : {shared, range, not_a}) CHECK_FALSE(tables.holds(code, *s));
    }
}

TEST_CASE("predicate tables: a literal gives back what it was interned from") {
    PredicateTables from;
    intern(from, Family::equal, 7, "x");
    const auto ends = intern(from, Family::ends_with, 5, "y"), range = intern(from, Family::range, 5, {}, 1, 2);
    const auto scanned = intern(from, Family::scanned, 3), number = intern(from, Family::number_equal, 8, {}, 4, 4);
    from.freeze();
    CHECK(from.name(ends) == 5);
    CHECK(from.term(ends).text == "y");
    CHECK(from.term(negated(ends)).text == "y");
    CHECK(from.name(range) == 5);
    CHECK(from.term(range).lo == 1);
    CHECK(from.term(range).hi == 2);
    CHECK(from.name(scanned) == 3);
    CHECK(from.name(number) == 8);
    CHECK(from.term(number).lo == 4);
}
