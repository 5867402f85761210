#include "gpu/cpu/segment/form_table.hpp"

#include <catch2/catch.hpp>

namespace {

std::uint32_t intern(sluice::cpu::FormTable& forms, std::vector<std::vector<std::uint32_t>> conjunctions) {
    return forms.intern(conjunctions);
}

}  // namespace

TEST_CASE("form table: order and repetition do not matter") {
    sluice::cpu::FormTable forms;
    const auto form = intern(forms, {{2, 4}, {6}});
    CHECK(intern(forms, {{6, 6}, {4, 2}, {6}}) == form);
    CHECK(intern(forms, {{2, 4}, {7}}) != form);
    CHECK(intern(forms, {{2, 4, 6}}) != form);
    CHECK(intern(forms, {{2}, {4, 6}}) != form);
    CHECK(forms.conjunctions(form) == 2);
}

TEST_CASE("form table: contradictions drop out, an empty conjunction makes the form true") {
    sluice::cpu::FormTable forms;
    CHECK(intern(forms, {{2, 3}, {8}}) == intern(forms, {{8}}));
    CHECK(intern(forms, {{2, 3}}) == intern(forms, {}));
    CHECK(forms.conjunctions(intern(forms, {})) == 0);
    CHECK(intern(forms, {{8}, {}}) == intern(forms, {{}}));
    CHECK(intern(forms, {{}}) != intern(forms, {}));
    CHECK(intern(forms, {{3, 4}}) != intern(forms, {}));
}

TEST_CASE("form table: visits the conjunctions of many forms") {
    sluice::cpu::FormTable forms;
    for (std::uint32_t i = 0; i < 1000; ++i) REQUIRE(intern(forms, {{2 * i}, {2 * i, 2 * i + 4}}) == i);
    std::vector<std::uint32_t> seen;
    forms.for_each(500,
                   [&](std::span<const std::uint32_t> codes) { seen.insert(seen.end(), codes.begin(), codes.end()); });
    CHECK(seen == std::vector<std::uint32_t>{1000, 1000, 1004});
}
