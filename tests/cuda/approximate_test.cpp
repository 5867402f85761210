// The GPU's approximate matching against the reference and edlib.
#include <catch2/catch.hpp>

#include "gpu/operators/edits/cuda/edits_cuda.hpp"
#include "gpu/operators/edits/cuda/weighted_cuda.hpp"
#include "gpu/operators/edits/parts.hpp"
#include "gpu/operators/edits/reference.hpp"
#include "gpu/tools/distance/asm_kernels.hpp"
#include "tests/cuda/on_device.hpp"
#include "tests/unit/gpu/operators/edits/oracle.hpp"

using namespace sluice;
using namespace sluice::edits;
using sluice::testing::has_device;

namespace {

struct Texts {
    std::vector<std::string> texts, patterns;
    std::vector<std::uint32_t> k;

    void add_pattern(std::string pattern, std::size_t bound) {
        patterns.push_back(std::move(pattern));
        k.push_back(static_cast<std::uint32_t>(bound));
    }
    std::vector<std::string_view> views() const { return {texts.begin(), texts.end()}; }
    std::vector<Pattern> searched() const {
        std::vector<Pattern> all;
        for (std::size_t p = 0; p < patterns.size(); ++p) all.push_back({patterns[p], k[p]});
        return all;
    }
};

// Every question of the library, against edlib. Texts and patterns have one alphabet, of at most 256 characters.
void check_set(const Texts& all, Extent extent) {
    const auto views = all.views();
    const auto patterns = all.searched();
    GpuPatternSet set(patterns, extent);
    Counters counters;
    std::vector<std::uint32_t> distances(views.size() * set.size(), 12345);
    set.distances(views, distances, counters);
    std::vector<Pair> found, expected, pairs;
    set.find(views, found, counters);
    for (std::uint32_t t = 0; t < views.size(); ++t) {
        for (std::uint32_t p = 0; p < set.size(); ++p) {
            const std::uint32_t d =
                edlib_distance(views[t], all.patterns[p], extent == Extent::whole ? EDLIB_MODE_NW : EDLIB_MODE_HW);
            CAPTURE(views[t], all.patterns[p], all.k[p], set.size(), views.size());
            REQUIRE(distances[t * set.size() + p] == d);
            if (d <= all.k[p]) expected.push_back({t, p});
            if ((7 * t + 3 * p) % 5 == 0) pairs.push_back({t, p});
        }
    }
    REQUIRE(found == expected);
    std::vector<std::uint32_t> some(pairs.size());
    std::vector<std::uint8_t> within(pairs.size(), 2);
    set.distances(views, pairs, some, counters);
    set.decide(views, pairs, within, counters);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const std::uint32_t d = distances[pairs[i].text * set.size() + pairs[i].pattern];
        REQUIRE(some[i] == d);
        REQUIRE(within[i] == (d <= all.k[pairs[i].pattern] ? 1 : 0));
    }
}

Texts random_texts(Random& random, std::size_t texts, std::size_t patterns, std::size_t text_max,
                   std::size_t pattern_max) {
    Texts all;
    for (std::size_t i = 0; i < texts; ++i) all.texts.push_back(random_pair(random, text_max, 1).text);
    for (std::size_t i = 0; i < patterns; ++i)
        all.add_pattern(random_pair(random, text_max, pattern_max).pattern,
                        random.chance(80) ? random.below(7) : random.below(200));
    // Some patterns are near a text.
    for (std::size_t i = 0; i < patterns; i += 3) {
        const std::u32string text = characters(random.pick(all.texts));
        if (text.empty()) continue;
        const std::size_t m = characters(all.patterns[i]).size();
        all.patterns[i] = utf8_of(mutated(random, text.substr(random.below(text.size()), m), 4, text));
    }
    return all;
}

// Sets with other than unit costs, against the reference.
void check_weighted(const Texts& all, Extent extent, CostTable table) {
    const auto views = all.views();
    const auto patterns = all.searched();
    GpuWeightedSet set(patterns, extent, table);
    std::vector<Pair> pairs;
    for (std::uint32_t t = 0; t < views.size(); ++t) {
        for (std::uint32_t p = 0; p < patterns.size(); ++p) {
            if ((7 * t + 3 * p) % 5 != 0) pairs.push_back({t, p});
        }
    }
    Counters counters;
    std::vector<std::uint32_t> distances(pairs.size(), 12345);
    std::vector<std::uint8_t> within(pairs.size(), 2);
    set.distances(views, pairs, distances, counters);
    set.decide(views, pairs, within, counters);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const auto [t, p] = pairs[i];
        const std::uint32_t d = extent == Extent::whole ? edit_distance(views[t], all.patterns[p], table)
                                                        : approx_distance(views[t], all.patterns[p], table);
        CAPTURE(views[t], all.patterns[p], all.k[p], int(table), int(extent));
        REQUIRE(distances[i] == d);
        REQUIRE(within[i] == (d <= all.k[p] ? 1 : 0));
    }
}

std::uint32_t device_distance(AsmAlgorithm algorithm, std::string_view text, std::string_view pattern, CostTable table,
                              std::uint64_t parts) {
    const auto run = [&]<class Symbol>(std::basic_string_view<Symbol> y, std::basic_string_view<Symbol> x) {
        std::vector<AsmTask> tasks;
        std::uint32_t n_max = 0;
        const std::uint32_t m = static_cast<std::uint32_t>(x.size());
        for (const Part& part : cut_text(y.size(), Costs(table).longest_substring(m), parts)) {
            tasks.push_back({0, part.begin, m, static_cast<std::uint32_t>(part.length), 0});
            n_max = std::max(n_max, tasks.back().n);
        }
        const cuda::Stream stream;
        const DeviceCosts costs(table);
        const auto xs = cuda::to_device(std::span<const Symbol>(x)), ys = cuda::to_device(std::span<const Symbol>(y));
        const auto on_device = cuda::to_device(std::span<const AsmTask>(tasks));
        const std::vector<std::uint32_t> far{~0u};
        const auto result = cuda::to_device(std::span<const std::uint32_t>(far));
        enqueue_asm(algorithm, std::span<const AsmTask>(on_device.data(), on_device.size()), m, n_max, xs.data(),
                    ys.data(), costs, result.data(), stream);
        std::uint32_t distance = 0;
        cuda::copy_to_host(std::span(&distance, 1), result.data(), stream);
        stream.wait();
        return distance;
    };
    if (is_ascii(text) && is_ascii(pattern)) {
        const std::basic_string<std::uint8_t> y(text.begin(), text.end()), x(pattern.begin(), pattern.end());
        return run(std::basic_string_view<std::uint8_t>(y), std::basic_string_view<std::uint8_t>(x));
    }
    const std::u32string y = characters(text), x = characters(pattern);
    return run(std::u32string_view(y), std::u32string_view(x));
}

constexpr AsmAlgorithm algorithms[] = {AsmAlgorithm::o_asm, AsmAlgorithm::w_scan, AsmAlgorithm::w_shuffle};

}  // namespace

TEST_CASE("the GPU's sets answer as edlib does", "[cuda][approximate]") {
    if (!has_device()) return;
    Random random(1);
    constexpr std::size_t patterns_of_set[] = {1, 2, 8, 9, 31, 32, 33, 100};
    for (std::size_t round = 0; round < test_rounds(10); ++round) {
        const Texts all = random_texts(random, random.between(1, 40), random.pick(patterns_of_set), 150, 140);
        check_set(all, Extent::substring);
        check_set(all, Extent::whole);
    }
}

TEST_CASE("the GPU's sets with other costs answer as the reference does", "[cuda][approximate]") {
    if (!has_device()) return;
    Random random(7);
    constexpr std::size_t patterns_of_set[] = {1, 2, 8, 31, 33, 100};
    for (std::size_t round = 0; round < test_rounds(8); ++round) {
        for (const CostTable table : {CostTable::typing, CostTable::vowels}) {
            const Texts all = random_texts(random, random.between(1, 40), random.pick(patterns_of_set), 150, 140);
            check_weighted(all, Extent::substring, table);
            check_weighted(all, Extent::whole, table);
        }
    }
    // Long patterns take several passes, long texts are cut, and what is longer stays with the CPU.
    for (const std::size_t text : {3000u, 20'000u}) {
        const Texts all = random_texts(random, 2, 5, text, 1100);
        check_weighted(all, Extent::substring, CostTable::vowels);
        check_weighted(all, Extent::whole, CostTable::typing);
    }
}

TEST_CASE("other costs: more characters than symbols, empty patterns and texts", "[cuda][approximate]") {
    if (!has_device()) return;
    Random random(8);
    Texts all;
    all.texts = {"", "a", "qwerty"};
    std::u32string many;
    for (char32_t c = 0x400; c < 0x500; ++c) many += c;
    for (std::size_t i = 0; i < 12; ++i) {
        const std::u32string part = many.substr(random.below(200), random.between(0, 40));
        all.add_pattern(utf8_of(part), random.below(9));
        all.texts.push_back(utf8_of(mutated(random, many.substr(random.below(200), 56), 4, many)));
    }
    all.add_pattern("", 0);
    all.add_pattern(utf8_of(many), 500);
    all.add_pattern("qwertz", 1);
    for (const CostTable table : {CostTable::typing, CostTable::vowels}) {
        check_weighted(all, Extent::substring, table);
        check_weighted(all, Extent::whole, table);
    }
}

TEST_CASE("the GPU's sets of long patterns answer as edlib does", "[cuda][approximate]") {
    if (!has_device()) return;
    Random random(2);
    for (std::size_t round = 0; round < test_rounds(2); ++round) {
        const Texts all = random_texts(random, 3, random.chance(50) ? 5 : 40, 2500, 2100);
        check_set(all, Extent::substring);
        check_set(all, Extent::whole);
    }
}

TEST_CASE("long texts are cut, and nothing is lost at the cuts", "[cuda][approximate]") {
    if (!has_device()) return;
    Random random(3);
    const std::u32string_view alphabet = U"ACGT";
    const std::u32string text = random_codes(random, 1 << 20, alphabet);
    for (const std::size_t patterns : {8u, 40u}) {
        Texts all;
        all.texts = {utf8_of(text), "ACGT", utf8_of(text.substr(0, 30000))};
        for (const std::size_t m : {31u, 32u, 33u, 63u, 64u, 65u, 128u, 1024u}) {
            all.add_pattern(utf8_of(mutated(random, text.substr(random.below(1 << 19), m), m / 10, alphabet)), m / 10);
        }
        while (all.patterns.size() < patterns)
            all.add_pattern(utf8_of(random_codes(random, random.between(20, 80), alphabet)), random.below(20));
        check_set(all, Extent::substring);
    }
}

TEST_CASE("the longest patterns lie across a warp", "[cuda][approximate]") {
    if (!has_device()) return;
    Random random(4);
    const std::u32string text = random_codes(random, 60000, U"abcdé漢");
    Texts all;
    all.texts = {utf8_of(text)};
    for (const std::size_t m : {1025u, 2048u, 2049u, 5000u, 8193u, 16384u})
        all.add_pattern(utf8_of(mutated(random, text.substr(random.below(20000), m), 50, U"abcdé漢").substr(0, m)), 60);
    check_set(all, Extent::substring);
    check_set(all, Extent::whole);
}

TEST_CASE("alphabets of thousands of characters", "[cuda][approximate]") {
    if (!has_device()) return;
    Random random(5);
    Texts all;
    std::vector<std::u32string> codes;
    for (int i = 0; i < 200; ++i) {
        std::u32string pattern;
        const std::size_t m = random.between(1, 200);
        for (std::size_t c = 0; c < m; ++c) pattern.push_back(static_cast<char32_t>(0x4E00 + random.below(8000)));
        codes.push_back(pattern);
        all.add_pattern(utf8_of(pattern), 3);
    }
    for (int i = 0; i < 20; ++i) all.texts.push_back(utf8_of(mutated(random, random.pick(codes), 3, U"漢字a")));
    GpuPatternSet set(all.searched(), Extent::substring);
    std::vector<std::uint32_t> distances(all.texts.size() * all.patterns.size());
    Counters counters;
    set.distances(all.views(), distances, counters);
    for (std::size_t i = 0; i < distances.size(); ++i)
        REQUIRE(distances[i] ==
                approx_distance(all.texts[i / all.patterns.size()], all.patterns[i % all.patterns.size()]));
}

TEST_CASE("O-ASM, w-SCAN and w-Shuffle give the papers' examples", "[cuda][approximate]") {
    if (!has_device()) return;
    for (const AsmAlgorithm algorithm : algorithms) {
        CAPTURE(int(algorithm));
        CHECK(device_distance(algorithm, "aaabbbaa", "ababa", CostTable::unit, 1) == 1);
        CHECK(device_distance(algorithm, "aaabbb", "ababa", CostTable::unit, 1) == 2);
        CHECK(device_distance(algorithm, "aaabbb", "aabaa", CostTable::unit, 1) == 2);
    }
}

TEST_CASE("O-ASM, w-SCAN and w-Shuffle answer as the reference does", "[cuda][approximate]") {
    if (!has_device()) return;
    Random random(6);
    for (std::size_t round = 0; round < test_rounds(60); ++round) {
        const bool big = round % 20 == 19;
        RandomPair pair = random_pair(random, big ? 3000 : 200, big ? asm_pattern_max : 140);
        if (pair.pattern.empty()) pair.pattern = "a";
        const std::u32string x = characters(pair.pattern);
        if (x.size() > asm_pattern_max) pair.pattern = utf8_of(x.substr(0, asm_pattern_max));
        for (const CostTable table : {CostTable::unit, CostTable::typing, CostTable::vowels}) {
            const std::uint32_t expected = approx_distance(pair.text, pair.pattern, table);
            for (const AsmAlgorithm algorithm : algorithms) {
                CAPTURE(pair.text, pair.pattern, int(table), int(algorithm));
                CHECK(device_distance(algorithm, pair.text, pair.pattern, table, random.between(1, 5)) == expected);
            }
        }
    }
}
