// Properties of all filters.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "protocol/filter/compile/missing.hpp"
#include "protocol/filter/filter.hpp"
#include "tests/support/rounds.hpp"
#include "tests/support/written_filter.hpp"
#include "tests/unit/protocol/filter/random_expression.hpp"

using namespace sluice;
using namespace sluice::filter;

namespace {

void check_stability(const std::string& text) {
    const auto filter = compile_filter(text);
    if (!filter) return;
    INFO(text << "\nis " << filter->canonical);
    const auto again = compile_filter(filter->canonical);
    if (!again) FAIL(again.error().message);
    CHECK(again->canonical == filter->canonical);
    CHECK(again->selecting == filter->selecting);
    CHECK(again->leaves.size() == filter->leaves.size());
    for (const Leaf& leaf : filter->leaves) {
        INFO("leaf " << leaf.text);
        const auto alone = compile_filter(leaf.text);
        if (!alone) FAIL(alone.error().message);
        // One that holds where there is no node has another leaf for that: `not(a) or sum(a) < 2`.
        const bool holds = holds_without_nodes(leaf.predicate);
        REQUIRE(alone->leaves.size() == (holds ? 2 : 1));
        const Leaf& itself = alone->leaves[holds ? 1 : 0];
        CHECK(itself.predicate == leaf.predicate);
        CHECK(itself.text == leaf.text);
        CHECK(itself.indexed == leaf.indexed);
        const testing::WrittenFilter alternatives = testing::written(alone->disjunction);
        CHECK(alternatives.size() == alone->leaves.size());
        const testing::WrittenConjunction only{{leaf.predicate, false}};
        CHECK(std::count(alternatives.begin(), alternatives.end(), only) == 1);
    }
}

// A random formula over the paths p0 … p5, with its value for every assignment of them (bit i: p_i is true).
struct Structure {
    std::string text;
    std::uint64_t truth = 0;  // bit a: its value under assignment a
};

Structure random_structure(RandomExpression& random, int depth) {
    if (depth == 0) {
        const auto i = random.below(6);
        Structure atom{"p" + std::to_string(i), 0};
        for (unsigned a = 0; a < 64; ++a) atom.truth |= std::uint64_t{(a >> i) & 1u} << a;
        return atom;
    }
    const Structure x = random_structure(random, depth - 1);
    if (random.chance(3)) return {"not(" + x.text + ")", ~x.truth};
    const Structure y = random_structure(random, static_cast<int>(random.below(static_cast<std::size_t>(depth))));
    if (random.chance(2)) return {"(" + x.text + ") and (" + y.text + ")", x.truth & y.truth};
    return {"(" + x.text + " or " + y.text + ")", x.truth | y.truth};
}

bool holds(const engine::Disjunction& filter, unsigned assignment) {
    for (const engine::Conjunction& conjunction : filter.conjunctions) {
        bool all = true;
        for (const engine::Literal& literal : conjunction) {
            const unsigned i = static_cast<unsigned>(filter.predicates[literal.predicate].attribute[1] - '0');
            all = all && ((assignment >> i) & 1u) != (literal.negated ? 1u : 0u);
        }
        if (all) return true;
    }
    return false;
}

}  // namespace

TEST_CASE("a canonical filter is its own canonical form, and so is each leaf") {
    const std::size_t rounds = sluice::testing::fewer_if_sanitized(20'000);
    RandomExpression random(7);
    for (std::size_t i = 0; i < rounds; ++i) check_stability(random.filter());
    RandomExpression extended(8, true);
    for (std::size_t i = 0; i < rounds; ++i) check_stability(extended.filter());
}

TEST_CASE("conjunctions have the truth table of the filter") {
    RandomExpression random(11);
    for (int i = 0; i < 5'000; ++i) {
        const Structure structure = random_structure(random, 5);
        const auto filter = compile_filter(structure.text);
        INFO(structure.text);
        REQUIRE(filter.has_value());
        std::uint64_t truth = 0;
        for (unsigned a = 0; a < 64; ++a) truth |= std::uint64_t{holds(filter->disjunction, a)} << a;
        CHECK(truth == structure.truth);
    }
}
