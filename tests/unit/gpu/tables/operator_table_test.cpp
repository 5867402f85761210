#include "gpu/tables/operator_table.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace sluice;
using namespace sluice::engine;
using Kind = Measure::Kind;

TEST_CASE("equal measures with equal bounds are one predicate of an attribute") {
    const Measure a{Kind::approx_distance, "abc", "unit", 0, 0}, b{Kind::edit_distance, "abc", "unit", 0, 0};
    const Measure other_costs{Kind::approx_distance, "abc", "typing", 0, 0};
    OperatorTable table;
    const std::uint32_t first = table.intern(1, a, {0, 2});
    CHECK(table.intern(1, a, {-0.0, 2}) == first);
    CHECK(table.intern(1, a, {0, 3}) != first);
    CHECK(table.intern(1, a, {0, 2, true}) != first);
    CHECK(table.intern(2, a, {0, 2}) != first);
    CHECK(table.intern(1, b, {0, 2}) != first);
    CHECK(table.intern(1, other_costs, {0, 2}) != first);
    const std::uint32_t nan = table.intern(1, a, {std::nan(""), std::nan(""), true});
    CHECK(table.intern(1, a, {std::nan(""), std::nan(""), true}) == nan);
    CHECK(table.size() == 7);
    table.freeze();
    CHECK(table.measure(first) == a);
    CHECK(table.bounds(first) == operators::Bounds{0, 2});
    CHECK(table.attribute(first) == 1);
    CHECK(table.family(operators::OperatorFamilyKind::edits) != nullptr);
    CHECK(table.family(operators::OperatorFamilyKind::regex) == nullptr);
    CHECK(table.index_in_family(first) == 0);
    CHECK(table.index_in_family(nan) == 6);
}

TEST_CASE("of a series, what differs in nothing but its bounds is computed together") {
    const Measure laminarity{Kind::laminarity, "", "", 0.5, 2}, of_longer{Kind::laminarity, "", "", 0.5, 3};
    const Measure determinism{Kind::determinism, "", "", 0.5, 2}, wider{Kind::laminarity, "", "", 0.6, 2};
    const Measure edits{Kind::approx_distance, "abc", "unit", 0, 0};
    OperatorTable table;
    const std::uint32_t first = table.intern(1, laminarity, {0.5, 1}), second = table.intern(1, laminarity, {0.6, 1});
    std::vector<std::uint32_t> alone{first, table.intern(2, laminarity, {0.5, 1})};
    for (const Measure& m : {of_longer, determinism, wider, edits}) alone.push_back(table.intern(1, m, {0.5, 1}));
    alone.push_back(table.intern(1, edits, {0, 1}));
    table.freeze();
    CHECK(table.computed_with(second) == first);
    for (const std::uint32_t index : alone) CHECK(table.computed_with(index) == index);
}

TEST_CASE("a table without predicates has no families") {
    OperatorTable table;
    table.freeze();
    for (std::size_t f = 0; f < operators::operator_families; ++f)
        CHECK(table.family(static_cast<operators::OperatorFamilyKind>(f)) == nullptr);
}
