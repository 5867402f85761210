#include "protocol/filter/compile/normal_form.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "protocol/filter/syntax/fault.hpp"

using namespace sluice::filter;

namespace {

Formula leaf(std::size_t i) { return make_leaf(i, "p" + std::to_string(1000 + i)); }

std::vector<LiteralSet> normal_form(const Formula& formula, std::size_t conjunctions_max = 256) {
    return disjunctive_normal_form(formula, {conjunctions_max, 16'384});
}

// (p0 or p1) and (p2 or p3) and …
Formula clauses(std::size_t n) {
    std::vector<Formula> parts;
    for (std::size_t i = 0; i < n; ++i) parts.push_back(make_any({leaf(2 * i), leaf(2 * i + 1)}));
    return make_all(std::move(parts));
}

}  // namespace

TEST_CASE("constants have the least normal forms") {
    CHECK(normal_form(make_constant(true)) == std::vector<LiteralSet>{{}});
    CHECK(normal_form(make_constant(false)).empty());
    CHECK(normal_form(make_all({})) == std::vector<LiteralSet>{{}});
    CHECK(normal_form(make_any({})).empty());
    CHECK(normal_form(make_all({leaf(0), negate(leaf(0))})).empty());
    CHECK(normal_form(make_any({leaf(0), make_constant(true)})) == std::vector<LiteralSet>{{}});
}

TEST_CASE("and distributes over or, and not goes down to the leaves") {
    CHECK(normal_form(clauses(2)) == std::vector<LiteralSet>{{0, 4}, {0, 6}, {2, 4}, {2, 6}});
    CHECK(normal_form(negate(clauses(2))) == std::vector<LiteralSet>{{1, 3}, {5, 7}});
    CHECK(normal_form(negate(negate(leaf(3)))) == std::vector<LiteralSet>{{6}});
}

TEST_CASE("subsumed and contradictory conjunctions are dropped") {
    CHECK(normal_form(make_any({leaf(0), make_all({leaf(0), leaf(1)})})) == std::vector<LiteralSet>{{0}});
    CHECK(normal_form(make_all({make_any({leaf(0), leaf(1)}), negate(leaf(0))})) == std::vector<LiteralSet>{{1, 2}});
    // (x or a0) and (x or a1) and … is x or (a0 and a1 and …).
    std::vector<Formula> parts;
    for (std::size_t i = 1; i <= 1000; ++i) parts.push_back(make_any({leaf(0), leaf(i)}));
    const auto sets = normal_form(make_all(std::move(parts)));
    REQUIRE(sets.size() == 2);
    CHECK(sets[0] == LiteralSet{0});
    CHECK(sets[1].size() == 1000);
}

TEST_CASE("a normal form that explodes is given up") {
    CHECK(normal_form(clauses(8)).size() == 256);
    CHECK_THROWS_AS(normal_form(clauses(9)), Fault);
    CHECK_THROWS_AS(normal_form(clauses(5'000)), Fault);
    CHECK_THROWS_AS(normal_form(clauses(64), 100'000), Fault);
    CHECK(normal_form(negate(clauses(256))).size() == 256);
    CHECK_THROWS_AS(normal_form(negate(clauses(257))), Fault);
    try {
        normal_form(clauses(64));
    } catch (const Fault& fault) {
        CHECK(fault.message.find("limits.filter_conjunctions = 256") != std::string::npos);
    }
}
