#include "gpu/cpu/access.hpp"

#include <catch2/catch.hpp>

using namespace sluice;

namespace {

LiteralCode equal(PredicateTables& tables, std::uint32_t name, const std::string& text) {
    return tables.intern(Term{Family::equal, false, {}, text, 0, 0}, name);
}

AccessChoice choose(const PredicateTables& tables, const std::vector<std::vector<std::uint32_t>>& conjunctions,
                    std::size_t which) {
    AccessChooser chooser(tables);
    for (const auto& codes : conjunctions) chooser.count(codes);
    return chooser.choose(conjunctions[which]);
}

}  // namespace

TEST_CASE("cells: a range lies in its cell and the next") {
    for (const std::uint32_t width : {1u, 3u, 8u}) {
        for (std::uint32_t lo = 0; lo < 60; ++lo) {
            for (std::uint32_t hi = 0; hi < 60; ++hi) {
                const RangeCell cell = cell_of({0, lo, hi}, width);
                const std::uint32_t size = width << cell.level;
                CHECK(lo / size == cell.cell);
                CHECK(std::max(lo, hi) / size <= cell.cell + 1);
            }
        }
    }
}

TEST_CASE("access: the rarest of the equalities, never the one that all share") {
    PredicateTables tables;
    std::vector<std::vector<std::uint32_t>> conjunctions;
    for (int i = 0; i < 200; ++i)
        conjunctions.push_back({equal(tables, 0, "stream").bits(), equal(tables, 1, std::to_string(i)).bits()});
    tables.freeze();
    const AccessChoice choice = choose(tables, conjunctions, 7);
    CHECK(choice.kind == AccessChoice::by_one);
    CHECK(choice.first == LiteralCode(conjunctions[7][1]));
}

TEST_CASE("access: a pair where one literal is shared by many") {
    PredicateTables tables;
    std::vector<std::vector<std::uint32_t>> conjunctions;
    for (int i = 0; i < 4000; ++i) {
        conjunctions.push_back(
            {equal(tables, 0, std::to_string(i % 40)).bits(), equal(tables, 1, std::to_string(i / 40)).bits()});
    }
    tables.freeze();
    CHECK(choose(tables, conjunctions, 0).kind == AccessChoice::by_two);
}

TEST_CASE("access: negations, not-equals and wide ranges are scanned") {
    PredicateTables tables;
    const auto negated = equal(tables, 0, "a").bits() | 1;
    const auto unequal = tables.intern(Term{Family::not_equal, false, {}, "a", 0, 0}, 0).bits();
    std::vector<std::vector<std::uint32_t>> conjunctions = {{negated, unequal}};
    for (int i = 0; i < 100; ++i) {
        const auto range = tables.intern(Term{Family::range, false, {}, {}, double(i), double(i) + 80}, 0);
        conjunctions.push_back({range.bits()});
    }
    tables.freeze();
    for (const std::size_t which : {0u, 1u, 50u})
        CHECK(choose(tables, conjunctions, which).kind == AccessChoice::by_scan);
}
