#include "gpu/simd/instruction_set.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>

using namespace sluice::simd;

TEST_CASE("instruction sets: those of this processor in ascending order, the portable one among them") {
    const auto sets = instruction_sets();
    REQUIRE_FALSE(sets.empty());
    CHECK(sets.front() == InstructionSet::portable);
    CHECK(std::is_sorted(sets.begin(), sets.end()));
}

TEST_CASE("instruction sets: the best one is the processor's, or the one that SLUICE_ISA names") {
    const auto sets = instruction_sets();
    const char* const wanted = std::getenv("SLUICE_ISA");
    const auto named = std::find_if(sets.begin(), sets.end(), [&](InstructionSet set) {
        return wanted != nullptr && std::string(wanted) == name_of(set);
    });
    CHECK(best_instruction_set() == (named == sets.end() ? sets.back() : *named));
}
