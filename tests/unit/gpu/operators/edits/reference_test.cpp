#include "gpu/operators/edits/reference.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/gpu/operators/edits/oracle.hpp"

using namespace sluice;
using namespace sluice::edits;

TEST_CASE("the papers' examples of approximate matching", "[approximate]") {
    CHECK(approx_distance("aaabbbaa", "ababa") == 1);  // Man and Song, figure 3
    CHECK(approx_distance("aaabbb", "ababa") == 2);    // their text
    CHECK(approx_distance("aaabbb", "aabaa") == 2);    // Nunes, figure 3.5
}

TEST_CASE("empty texts and patterns have distances", "[approximate]") {
    CHECK(approx_distance("", "") == 0);
    CHECK(approx_distance("abc", "") == 0);
    CHECK(approx_distance("", "abc") == 3);
    CHECK(approx_distance("", "abc", CostTable::typing) == 6);
    CHECK(edit_distance("", "") == 0);
    CHECK(edit_distance("abc", "") == 3);
    CHECK(edit_distance("", "abc") == 3);
    CHECK(edit_distance("abc", "", CostTable::vowels) == 3);
    CHECK(edit_distance("", "abc", CostTable::vowels) == 6);
}

TEST_CASE("approx-contains compares with k", "[approximate]") {
    CHECK(approx_distance("the colour of it", "color") <= 1);
    CHECK(approx_distance("the colour of it", "color") > 0);
    CHECK(approx_distance("the color of it", "color") <= 0);
    CHECK(approx_distance("", "abc") <= 3);
    CHECK(approx_distance("", "abc") > 2);
}

TEST_CASE("distances count characters, not bytes", "[approximate]") {
    CHECK(edit_distance("größe", "grosse") == 3);
    CHECK(edit_distance("漢字", "漢子") == 1);
    CHECK(approx_distance("das 漢字 ist", "漢子") == 1);
    CHECK(edit_distance("a\xFF"
                        "b",
                        "ab") == 1);
}

TEST_CASE("weights choose other ways than units", "[approximate]") {
    CHECK(edit_distance("hella", "hello", CostTable::vowels) == 1);
    CHECK(edit_distance("hellb", "hello", CostTable::vowels) == 2);
    CHECK(edit_distance("helo", "hello", CostTable::vowels) == 2);
    CHECK(edit_distance("helllo", "hello", CostTable::vowels) == 1);
    CHECK(edit_distance("hwllo", "hello", CostTable::typing) == 1);
    CHECK(edit_distance("hpllo", "hello", CostTable::typing) == 3);
    CHECK(approx_distance("say hwllo", "hello", CostTable::typing) == 1);
}

TEST_CASE("the reference is edlib's distance", "[approximate]") {
    Random random(1);
    for (std::size_t round = 0; round < test_rounds(3000); ++round) {
        const RandomPair pair = random_pair(random, 150, 140);
        CAPTURE(round, pair.text, pair.pattern);
        REQUIRE(approx_distance(pair.text, pair.pattern) == edlib_distance(pair.text, pair.pattern, EDLIB_MODE_HW));
        REQUIRE(edit_distance(pair.text, pair.pattern) == edlib_distance(pair.text, pair.pattern, EDLIB_MODE_NW));
    }
}
