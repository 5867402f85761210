#include "gpu/tools/search/rabin_karp.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "tests/support/searchers.hpp"

using namespace sluice::substrings;

TEST_CASE("Rabin-Karp: powers are those of Nunes' table 5.3") {
    const RabinKarp rabin_karp({}, {2, 13, 1});
    CHECK(rabin_karp.powers() == std::vector<std::uint32_t>{1, 2, 4, 8, 3, 6, 12, 11, 9, 5, 10, 7});
    CHECK(rabin_karp.power(12) == 1);
    CHECK(rabin_karp.power(15) == 8);
    CHECK(rabin_karp.power(100) == 3);
    CHECK(rabin_karp.power(-1) * 2 % 13 == 1);
    const RabinKarp thesis({}, {});
    CHECK(thesis.powers().size() == 65520);
    CHECK(thesis.power(65520) == 1);
    CHECK(thesis.power(-3) * 8 % 65521 == 1);
}

TEST_CASE("Rabin-Karp: the hash of a window of any length comes from one pass over the text") {
    std::string text;
    for (std::mt19937 random(2); text.size() < 20'000;) text += static_cast<char>(random() % 256);
    for (const RabinKarpParameters& parameters :
         {RabinKarpParameters{2, 13, 1}, {2, 65521, 1}, {2, 65521, 3}, {257, 65519, 2}}) {
        const RabinKarp rabin_karp({}, parameters);
        const auto sums = rabin_karp.prefix_sums(text);
        for (const std::size_t length : {1u, 2u, 10u, 31u, 1000u, 20'000u}) {
            for (std::size_t at = 0; at + length <= text.size(); at += 997)
                REQUIRE(rabin_karp.window_hash(sums, at, length) == rabin_karp.hash(text.substr(at, length)));
        }
    }
}

TEST_CASE("Rabin-Karp: patterns of one hash take the next free slots") {
    // 'a' = 97 = 6 mod 13; so are 'n' = 110 and '{' = 123. 'b' is 7 and moves on.
    const std::vector<Pattern> patterns{{"a"}, {"n"}, {"b"}, {"{"}};
    const RabinKarp rabin_karp(patterns, {2, 13, 1});
    const auto none = RabinKarp::none;
    CHECK(rabin_karp.table() ==
          std::vector<std::uint32_t>{none, none, none, none, none, none, 0, 1, 2, 3, none, none, none});
    Counters counters;
    const std::vector<Occurrence> expected{{3, 0}, {2, 1}, {0, 2}, {1, 3}};
    CHECK(occurrences_of(rabin_karp, "{ban", counters) == expected);
    CHECK(counters.filter_hits == 4);
    CHECK(counters.verified > 4);
}

TEST_CASE("Rabin-Karp: every occurrence is found, overlapping ones too") {
    const std::vector<Pattern> patterns{{"ana"}, {"anan"}, {"a"}};
    Counters counters;
    auto found = occurrences_of(RabinKarp(patterns, {}), "banana", counters);
    std::sort(found.begin(), found.end());
    CHECK(found == std::vector<Occurrence>{{0, 1}, {0, 3}, {1, 1}, {2, 1}, {2, 3}, {2, 5}});
}

TEST_CASE("Rabin-Karp: the table keeps a free slot") {
    const std::vector<Pattern> patterns(13);
    CHECK(RabinKarp::refusal(std::span(patterns).first(12), {2, 13, 1}).empty());
    CHECK(RabinKarp::refusal(patterns, {2, 13, 1}) == "the number of patterns, 13, is not less than the modulus 13");
}
