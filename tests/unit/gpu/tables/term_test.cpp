#include "gpu/tables/term.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <utility>

#include "tests/support/written_filter.hpp"

using namespace sluice;
using namespace sluice::engine;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

testing::WrittenLiteral number(Operator op, double value, bool negated = false) {
    return {{"n", op, {}, value}, negated};
}
testing::WrittenLiteral text(Operator op, const char* value, bool negated = false) {
    return {{"t", op, value, 0}, negated};
}

// A filter, and its normal form, whose views point into it.
struct Normal {
    explicit Normal(const testing::WrittenFilter& written)
        : filter(testing::disjunction_of(written)), form(normalise(filter)) {}

    const Literal& literal(std::size_t conjunction, std::size_t i) const {
        return form.conjunctions.at(conjunction).at(i);
    }
    const Term& term(std::size_t conjunction, std::size_t i) const {
        return form.terms.at(literal(conjunction, i).predicate);
    }

    Disjunction filter;
    NormalForm form;
};

}  // namespace

TEST_CASE("normal form: comparisons of one attribute become one closed range") {
    const Normal normal({{number(Operator::greater_equal, 1), number(Operator::less_equal, 5),
                          number(Operator::greater, 2), number(Operator::less, 9, true)}});
    REQUIRE(normal.form.conjunctions.size() == 1);
    REQUIRE(normal.form.conjunctions[0].size() == 2);
    CHECK(normal.term(0, 0).family == Family::range);
    CHECK(normal.term(0, 0).lo == std::nextafter(2, infinity));
    CHECK(normal.term(0, 0).hi == 5);
    CHECK_FALSE(normal.literal(0, 0).negated);
    CHECK(normal.literal(0, 1).negated);
    CHECK(normal.term(0, 1).hi == std::nextafter(9, -infinity));
    CHECK(normal.form.terms.size() == 2);
}

TEST_CASE("normal form: each conjunction has its own range of an attribute") {
    const testing::WrittenLiteral above = number(Operator::greater_equal, 1), below = number(Operator::less_equal, 5);
    const testing::WrittenLiteral other{{"m", Operator::less_equal, {}, 3}, false};
    const Normal normal({{above, other, below}, {above}, {below, above, other}, {below, other}, {above, below}});
    const auto bounds = [&](std::size_t conjunction, std::size_t i) {
        return std::pair(normal.term(conjunction, i).lo, normal.term(conjunction, i).hi);
    };
    CHECK(normal.form.conjunctions[0].size() == 2);
    CHECK(bounds(0, 0) == std::pair(1., 5.));
    CHECK(bounds(0, 1) == std::pair(-infinity, 3.));
    CHECK(bounds(1, 0) == std::pair(1., infinity));
    CHECK(normal.form.conjunctions[2].size() == 2);
    CHECK(bounds(2, 0) == std::pair(1., 5.));
    CHECK(bounds(3, 0) == std::pair(-infinity, 5.));
    CHECK(bounds(4, 0) == std::pair(1., 5.));
    CHECK(normal.literal(4, 0) == normal.literal(0, 0));
    CHECK(normal.term(0, 0).name == "n");
}

TEST_CASE("normal form: each predicate is one term, and only those are there that a conjunction has") {
    const testing::WrittenLiteral a = text(Operator::equal, "a"), b = text(Operator::contains, "b"),
                                  not_a = text(Operator::equal, "a", true), c = text(Operator::equal, "c"),
                                  never = number(Operator::less, std::nan(""));
    const Normal normal({{a, b}, {b, not_a}, {a}, {c, never}});
    REQUIRE(normal.filter.predicates.size() == 4);
    CHECK(normal.form.terms.size() == 2);
    REQUIRE(normal.form.conjunctions.size() == 3);
    CHECK(normal.form.conjunctions[0] == Conjunction{{0, false}, {1, false}});
    CHECK(normal.form.conjunctions[1] == Conjunction{{1, false}, {0, true}});
    CHECK(normal.form.conjunctions[2] == Conjunction{{0, false}});
    const Normal unequal(
        {{text(Operator::not_equal, "x")}, {text(Operator::not_equal, "x"), number(Operator::less, 2, true)}});
    CHECK(unequal.form.terms.size() == 3);  // with one existence for both
}

TEST_CASE("normal form: what can't hold goes, with its conjunction unless it is negated") {
    const double nan = std::nan("");
    for (const testing::WrittenLiteral& never :
         {number(Operator::less, nan), number(Operator::number_equal, nan), number(Operator::greater, infinity),
          number(Operator::less, -infinity)})
        CHECK(Normal({{never}}).form.conjunctions.empty());
    const Normal always({{number(Operator::less, nan, true)}});
    REQUIRE(always.form.conjunctions.size() == 1);
    CHECK(always.form.conjunctions[0].empty());
    CHECK(always.form.terms.empty());
}

TEST_CASE("normal form: what holds for any value is existence") {
    for (const Operator op : {Operator::contains, Operator::starts_with, Operator::ends_with})
        CHECK(Normal({{text(op, "")}}).term(0, 0).family == Family::exists);
    CHECK(Normal({{text(Operator::equal, "")}}).term(0, 0).family == Family::equal);
    CHECK(Normal({{number(Operator::number_not_equal, std::nan(""))}}).term(0, 0).family == Family::exists);
}

TEST_CASE("normal form: a value leads to conjunctions that no other literal leads to") {
    for (const testing::WrittenConjunction& conjunction :
         {testing::WrittenConjunction{text(Operator::not_equal, "x")},
          testing::WrittenConjunction{number(Operator::number_not_equal, 1)},
          testing::WrittenConjunction{text(Operator::equal, "x", true), text(Operator::not_equal, "y")}}) {
        const Normal normal({conjunction});
        REQUIRE(normal.form.conjunctions.size() == 1);
        const std::size_t last = conjunction.size();
        REQUIRE(normal.form.conjunctions[0].size() == last + 1);
        CHECK(normal.term(0, last).family == Family::exists);
        CHECK(normal.term(0, last).name == normal.term(0, last - 1).name);
        CHECK_FALSE(normal.literal(0, last).negated);
    }
    const auto literals = [](const testing::WrittenConjunction& conjunction) {
        return Normal({conjunction}).form.conjunctions.at(0).size();
    };
    CHECK(literals({text(Operator::not_equal, "x"), number(Operator::less, 5)}) == 2);
    CHECK(literals({text(Operator::not_equal, "x", true)}) == 1);
    CHECK(literals({text(Operator::exists, "", true), text(Operator::not_equal, "x")}) == 2);
}
