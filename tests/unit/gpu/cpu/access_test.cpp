#include "gpu/cpu/segment/access.hpp"

#include <catch2/catch.hpp>

using namespace sluice;
using namespace sluice::cpu;

namespace {

engine::LiteralCode equal(engine::PredicateTables& tables, std::uint32_t name, const std::string& text) {
    return tables.intern(engine::Term{engine::Family::equal, {}, text, 0, 0}, name);
}

AccessChoice choose(const engine::PredicateTables& tables, const std::vector<std::vector<std::uint32_t>>& conjunctions,
                    std::size_t which) {
    AccessChooser chooser(tables);
    for (const auto& codes : conjunctions) chooser.count(codes);
    chooser.end_count();
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
    engine::PredicateTables tables;
    std::vector<std::vector<std::uint32_t>> conjunctions;
    for (int i = 0; i < 200; ++i)
        conjunctions.push_back({equal(tables, 0, "stream").bits(), equal(tables, 1, std::to_string(i)).bits()});
    tables.freeze();
    const AccessChoice choice = choose(tables, conjunctions, 7);
    CHECK(choice.tokens == 1);
    CHECK(choice.literals[0] == engine::LiteralCode(conjunctions[7][1]));
}

TEST_CASE("access: a pair where one literal is shared by many") {
    engine::PredicateTables tables;
    std::vector<std::vector<std::uint32_t>> conjunctions;
    for (int i = 0; i < 4000; ++i) {
        conjunctions.push_back(
            {equal(tables, 0, std::to_string(i % 40)).bits(), equal(tables, 1, std::to_string(i / 40)).bits()});
    }
    tables.freeze();
    CHECK(choose(tables, conjunctions, 0).tokens == 2);
}

TEST_CASE("access: three where many share each pair") {
    engine::PredicateTables tables;
    std::vector<std::vector<std::uint32_t>> conjunctions;
    for (int i = 0; i < 20'000; ++i) {
        conjunctions.emplace_back();
        for (const auto& [name, n] : {std::pair(0u, i % 8), std::pair(1u, i / 8 % 8), std::pair(2u, i / 64 % 8)})
            conjunctions.back().push_back(equal(tables, name, std::to_string(n)).bits());
    }
    tables.freeze();
    CHECK(choose(tables, conjunctions, 0).tokens == 2);  // an event finds at most 250 rows by two
    const auto once = conjunctions;
    for (int i = 0; i < 3; ++i) conjunctions.insert(conjunctions.end(), once.begin(), once.end());
    CHECK(choose(tables, conjunctions, 0).tokens == 3);
}

TEST_CASE("access: three of one half of the attributes where each row has so many to choose from") {
    constexpr std::uint32_t attributes = 20, rows = 30'000;
    engine::PredicateTables tables;
    std::vector<std::vector<std::uint32_t>> conjunctions(rows);
    for (std::uint32_t i = 0; i < rows; ++i) {
        for (std::uint32_t k = 0; k < 5; ++k) {
            const auto lo = static_cast<double>(engine::mix(5 * i + k) % 900);
            const engine::Term range{engine::Family::range, {}, {}, lo, lo + 60};
            conjunctions[i].push_back(tables.intern(range, (i + (1 + i / attributes % 4) * k) % attributes).bits());
        }
    }
    tables.freeze();
    AccessChooser chooser(tables);
    for (const auto& codes : conjunctions) chooser.count(codes);
    chooser.end_count();
    CHECK(chooser.triples() == Triples::of_one_half);
    for (const auto& codes : conjunctions) {
        const AccessChoice choice = chooser.choose(codes);
        if (choice.tokens != 3) continue;
        const std::uint32_t half = half_of(tables.attribute_of(*choice.literals[0]));
        CHECK(half_of(tables.attribute_of(*choice.literals[1])) == half);
        CHECK(half_of(tables.attribute_of(*choice.literals[2])) == half);
    }
    CHECK(chooser.choose(conjunctions[0]).tokens == 3);
}

TEST_CASE("access: negations, not-equals and wide ranges are scanned") {
    engine::PredicateTables tables;
    const auto negated = equal(tables, 0, "a").bits() | 1;
    const auto unequal = tables.intern(engine::Term{engine::Family::not_equal, {}, "a", 0, 0}, 0).bits();
    std::vector<std::vector<std::uint32_t>> conjunctions = {{negated, unequal}};
    for (int i = 0; i < 100; ++i) {
        const auto range = tables.intern(engine::Term{engine::Family::range, {}, {}, double(i), double(i) + 80}, 0);
        conjunctions.push_back({range.bits()});
    }
    tables.freeze();
    for (const std::size_t which : {0u, 1u, 50u}) CHECK(choose(tables, conjunctions, which).tokens == 0);
}
