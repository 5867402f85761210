#include "gpu/tables/term.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

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

}  // namespace

TEST_CASE("normal form: comparisons of one attribute become one closed range") {
    const Disjunction filter =
        testing::disjunction_of({{number(Operator::greater_equal, 1), number(Operator::less_equal, 5),
                                  number(Operator::greater, 2), number(Operator::less, 9, true)}});
    const auto normal = normalise(filter);
    REQUIRE(normal.size() == 1);
    REQUIRE(normal[0].size() == 2);
    CHECK(normal[0][0].family == Family::range);
    CHECK(normal[0][0].lo == std::nextafter(2, infinity));
    CHECK(normal[0][0].hi == 5);
    CHECK(normal[0][1].negated);
    CHECK(normal[0][1].hi == std::nextafter(9, -infinity));
}

TEST_CASE("normal form: what can't hold goes, with its conjunction unless it is negated") {
    const double nan = std::nan("");
    CHECK(normalise(testing::disjunction_of({{number(Operator::less, nan)}})).empty());
    CHECK(normalise(testing::disjunction_of({{number(Operator::number_equal, nan)}})).empty());
    CHECK(normalise(testing::disjunction_of({{number(Operator::greater, infinity)}})).empty());
    CHECK(normalise(testing::disjunction_of({{number(Operator::less, -infinity)}})).empty());
    REQUIRE(normalise(testing::disjunction_of({{number(Operator::less, nan, true)}})).size() == 1);
    CHECK(normalise(testing::disjunction_of({{number(Operator::less, nan, true)}}))[0].empty());
}

TEST_CASE("normal form: what holds for any value is existence") {
    for (const Operator op : {Operator::contains, Operator::starts_with, Operator::ends_with})
        CHECK(normalise(testing::disjunction_of({{text(op, "")}}))[0][0].family == Family::exists);
    CHECK(normalise(testing::disjunction_of({{text(Operator::equal, "")}}))[0][0].family == Family::equal);
    CHECK(normalise(testing::disjunction_of({{number(Operator::number_not_equal, std::nan(""))}}))[0][0].family ==
          Family::exists);
}

TEST_CASE("normal form: a value leads to conjunctions that no other literal leads to") {
    for (const testing::WrittenConjunction& conjunction :
         {testing::WrittenConjunction{text(Operator::not_equal, "x")},
          testing::WrittenConjunction{number(Operator::number_not_equal, 1)},
          testing::WrittenConjunction{text(Operator::equal, "x", true), text(Operator::not_equal, "y")}}) {
        const Disjunction filter = testing::disjunction_of({conjunction});
        const auto normal = normalise(filter);  // its names are the filter's
        REQUIRE(normal.size() == 1);
        const Terms& found = normal[0];
        REQUIRE(found.size() == conjunction.size() + 1);
        CHECK(found.back().family == Family::exists);
        CHECK(found.back().name == found[found.size() - 2].name);
        CHECK_FALSE(found.back().negated);
    }
    const auto terms = [](const testing::WrittenConjunction& conjunction) {
        return normalise(testing::disjunction_of({conjunction})).at(0).size();
    };
    CHECK(terms({text(Operator::not_equal, "x"), number(Operator::less, 5)}) == 2);
    CHECK(terms({text(Operator::not_equal, "x", true)}) == 1);
    CHECK(terms({text(Operator::exists, "", true), text(Operator::not_equal, "x")}) == 2);
}
