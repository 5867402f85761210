#include <array>
#include <catch2/catch.hpp>
#include <set>

#include "gpu/operators/edits/edits.hpp"
#include "gpu/operators/edits/reference.hpp"
#include "tests/support/rounds.hpp"
#include "tests/unit/gpu/operators/edits/oracle.hpp"

using namespace sluice;
using namespace sluice::edits;
using sluice::simd::instruction_sets;

namespace {

std::uint32_t reference_distance(std::string_view text, std::string_view pattern, Extent extent, CostTable table) {
    return extent == Extent::whole ? edit_distance(text, pattern, table) : approx_distance(text, pattern, table);
}

struct Texts {
    std::vector<std::string> texts, patterns;
    std::vector<std::uint32_t> k;

    std::vector<std::string_view> views() const { return {texts.begin(), texts.end()}; }
    std::vector<Pattern> searched() const {
        std::vector<Pattern> all;
        for (std::size_t p = 0; p < patterns.size(); ++p) all.push_back({patterns[p], k[p]});
        return all;
    }
};

Texts random_texts(Random& random, std::size_t texts, std::size_t patterns, std::size_t text_max,
                   std::size_t pattern_max) {
    Texts all;
    for (std::size_t i = 0; i < std::max(texts, patterns); ++i) {
        const RandomPair pair = random_pair(random, text_max, pattern_max);
        if (i < texts) all.texts.push_back(pair.text);
        if (i < patterns) {
            all.patterns.push_back(pair.pattern);
            all.k.push_back(static_cast<std::uint32_t>(random.chance(80) ? random.below(7) : random.below(200)));
        }
    }
    return all;
}

// Each text with each pattern.
std::vector<Pair> all_pairs(const Texts& all) {
    std::vector<Pair> pairs;
    for (std::uint32_t t = 0; t < all.texts.size(); ++t) {
        for (std::uint32_t p = 0; p < all.patterns.size(); ++p) pairs.push_back({t, p});
    }
    return pairs;
}

// Every query of the library, against the distances of the reference or edlib.
template <class Distance>
void check_set(const Texts& all, Extent extent, CostTable table, InstructionSet set, Distance distance) {
    const auto views = all.views();
    const PatternSet patterns(all.searched(), extent, table, set);
    Counters counters;
    const std::vector<Pair> every = all_pairs(all);
    std::vector<std::uint32_t> distances(every.size(), 12345);
    std::vector<std::uint8_t> near(every.size(), 2);
    patterns.distances(views, every, distances, counters);
    patterns.decide(views, every, near, counters);
    std::vector<Pair> pairs;
    for (std::size_t i = 0; i < every.size(); ++i) {
        const auto [t, p] = every[i];
        const std::uint32_t d = distance(views[t], all.patterns[p]);
        CAPTURE(views[t], all.patterns[p], all.k[p], int(set));
        REQUIRE(distances[i] == d);
        REQUIRE(near[i] == (d <= all.k[p] ? 1 : 0));
        if ((7 * t + 3 * p) % 5 == 0) pairs.push_back({t, p});
    }
    std::reverse(pairs.begin(), pairs.end());
    std::vector<std::uint32_t> some(pairs.size());
    std::vector<std::uint8_t> within(pairs.size(), 2);
    patterns.distances(views, pairs, some, counters);
    patterns.decide(views, pairs, within, counters);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const std::uint32_t d = distances[pairs[i].text * all.patterns.size() + pairs[i].pattern];
        REQUIRE(some[i] == d);
        REQUIRE(within[i] == (d <= all.k[pairs[i].pattern] ? 1 : 0));
    }
}

}  // namespace

TEST_CASE("sets answer as the reference does", "[approximate]") {
    Random random(2);
    for (std::size_t round = 0; round < test_rounds(6); ++round) {
        const Texts all = random_texts(random, 4, random.pick(std::array<std::size_t, 5>{1, 2, 5, 40, 90}), 150, 140);
        for (const Extent extent : {Extent::substring, Extent::whole}) {
            for (const CostTable table : {CostTable::unit, CostTable::typing, CostTable::vowels}) {
                const auto reference = [&](std::string_view text, std::string_view pattern) {
                    return reference_distance(text, pattern, extent, table);
                };
                for (const InstructionSet set : instruction_sets()) {
                    check_set(all, extent, table, set, reference);
                    if (table != CostTable::unit) break;
                }
            }
        }
    }
}

TEST_CASE("sets of long patterns answer as edlib does", "[approximate]") {
    Random random(3);
    for (std::size_t round = 0; round < test_rounds(2); ++round) {
        Texts all = random_texts(random, 2, 20, 1500, 1200);
        for (auto& k : all.k) k *= static_cast<std::uint32_t>(random.below(4));
        for (const InstructionSet set : instruction_sets()) {
            check_set(all, Extent::substring, CostTable::unit, set,
                      [](auto text, auto pattern) { return edlib_distance(text, pattern, EDLIB_MODE_HW); });
            check_set(all, Extent::whole, CostTable::unit, set,
                      [](auto text, auto pattern) { return edlib_distance(text, pattern, EDLIB_MODE_NW); });
        }
    }
}

TEST_CASE("near copies of patterns are found through their pieces", "[approximate]") {
    Random random(4);
    const std::u32string alphabet = U"abcdefghijklmnopqrstuvwxyzé漢 ";
    for (std::size_t round = 0; round < test_rounds(4); ++round) {
        Texts all;
        std::u32string text;
        for (int i = 0; i < 50; ++i) {
            const std::uint32_t k = static_cast<std::uint32_t>(random.below(4));
            const std::u32string pattern = random_codes(random, random.between(20, 80), alphabet);
            all.patterns.push_back(utf8_of(pattern));
            all.k.push_back(k);
            text += random_codes(random, random.below(30), alphabet);
            text += mutated(random, pattern, k + random.below(2), alphabet);
        }
        all.texts = {utf8_of(text), "", utf8_of(text.substr(0, 100))};
        const PatternSet set(all.searched(), Extent::substring);
        std::vector<Pair> expected;
        for (std::uint32_t t = 0; t < 3; ++t) {
            for (std::uint32_t p = 0; p < 50; ++p) {
                if (edlib_distance(all.texts[t], all.patterns[p], EDLIB_MODE_HW) <= all.k[p])
                    expected.push_back({t, p});
            }
        }
        CHECK(expected.size() >= 10);

        std::vector<Pair> pairs;  // each twice
        for (std::uint32_t i = 300; i-- > 0;) pairs.push_back({i % 3, i / 3 % 50});
        std::vector<std::uint8_t> within(pairs.size(), 2);
        Counters of_pairs;
        set.decide(all.views(), pairs, within, of_pairs);
        for (std::size_t i = 0; i < pairs.size(); ++i)
            CHECK(within[i] == (std::ranges::binary_search(expected, pairs[i]) ? 1 : 0));
        CHECK(of_pairs.texts == 3);
        CHECK(of_pairs.filter_hits >= expected.size());
        CHECK(of_pairs.verified <= of_pairs.filter_hits);
        CHECK(of_pairs.verified >= expected.size());
    }
}

TEST_CASE("a megabyte is searched", "[approximate]") {
    Random random(5);
    const std::u32string_view alphabet = U"ACGT";
    const std::u32string text = random_codes(random, 1 << 20, alphabet);
    Texts all;
    all.texts = {utf8_of(text)};
    for (const std::size_t m : {31u, 32u, 33u, 63u, 64u, 65u, 128u, 1024u}) {
        all.patterns.push_back(utf8_of(mutated(random, text.substr(random.below(1 << 19), m), m / 10, alphabet)));
        all.k.push_back(static_cast<std::uint32_t>(m / 10 + 1));
    }
    std::vector<std::uint32_t> distances(all.patterns.size());
    Counters counters;
    const auto patterns = all.searched();
    const PatternSet set(patterns, Extent::substring);
    const std::vector<Pair> pairs = all_pairs(all);
    set.distances(all.views(), pairs, distances, counters);
    for (std::size_t p = 0; p < distances.size(); ++p)
        CHECK(distances[p] == edlib_distance(all.texts[0], all.patterns[p], EDLIB_MODE_HW));
    std::vector<std::uint8_t> within(pairs.size());
    set.decide(all.views(), pairs, within, counters);
    CHECK(within == std::vector<std::uint8_t>(pairs.size(), 1));
}

TEST_CASE("patterns that are too long are refused", "[approximate]") {
    CHECK(refusal(std::string(pattern_characters_max, 'a')).empty());
    const std::string too_long(pattern_characters_max + 1, 'a');
    CHECK(refusal(too_long) == "the pattern has 16385 characters; at most 16384 can be searched for");
    CHECK_THROWS_WITH(PatternSet(std::vector<Pattern>{{too_long, 0}}, Extent::substring), refusal(too_long));
}

TEST_CASE("the longest pattern is searched for", "[approximate]") {
    Random random(6);
    const std::u32string code = random_codes(random, pattern_characters_max, U"abc漢");
    const std::string pattern = utf8_of(code), text = utf8_of(mutated(random, code, 40, U"abc漢"));
    const PatternSet set(std::vector<Pattern>{{pattern, 40}}, Extent::substring);
    std::uint32_t distance = 0;
    Counters counters;
    set.distances(std::vector<std::string_view>{text}, std::vector<Pair>{{0, 0}}, std::span(&distance, 1), counters);
    CHECK(distance == edlib_distance(text, pattern, EDLIB_MODE_HW));
}

// Few different characters, some, many: these select tables for all classes, tables with their own class numbers, and
// lists of places. 20'000 of them, since characters that occur only in texts must match no pattern.
TEST_CASE("sets of patterns with many different characters answer as the reference does", "[approximate]") {
    Random random(7);
    std::u32string characters;
    for (char32_t c = 0x4E00; c < 0x4E00 + 20'000; ++c) characters += c;
    Texts all;
    std::u32string text;
    std::vector<std::size_t> lengths = {20, 60, 801, 1500};
    if (!sluice::testing::is_sanitized) lengths.insert(lengths.end(), {30, 400, 800, 832, 700, 710, 720});
    for (const std::size_t m : lengths) {
        for (const std::size_t of : {std::size_t{300}, characters.size()}) {
            const std::u32string_view alphabet = std::u32string_view(characters).substr(0, of);
            const std::u32string pattern = random_codes(random, m, alphabet) + (m % 3 == 0 ? U"abc" : U"");
            all.patterns.push_back(utf8_of(pattern));
            all.k.push_back(static_cast<std::uint32_t>(m / (2 + random.below(20))));
            const auto near = mutated(random, pattern, random.below(20), alphabet);
            if (m > 700 && of > 300) all.texts.push_back(utf8_of(near));
            text += near.substr(0, 100);
        }
    }
    all.texts.push_back(utf8_of(text));
    all.texts.push_back("abc and all the rest");
    for (const Extent extent : {Extent::substring, Extent::whole}) {
        const auto reference = [&](std::string_view t, std::string_view pattern) {
            return reference_distance(t, pattern, extent, CostTable::unit);
        };
        for (const InstructionSet set : instruction_sets()) check_set(all, extent, CostTable::unit, set, reference);
    }
}
