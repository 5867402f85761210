// The published algorithms on the CPU, and all pairs, against the reference.
#include "gpu/tools/distance/asm.hpp"

#include <array>
#include <catch2/catch.hpp>

#include "gpu/operators/edits/reference.hpp"
#include "gpu/tools/distance/all_pairs.hpp"
#include "tests/unit/gpu/operators/edits/oracle.hpp"
#include "tests/unit/gpu/operators/edits/random_costs.hpp"

using namespace sluice;
using namespace sluice::edits;

namespace {

constexpr AsmAlgorithm asm_algorithms[] = {AsmAlgorithm::o_asm, AsmAlgorithm::w_scan, AsmAlgorithm::w_shuffle};

std::uint32_t asm_one(AsmAlgorithm algorithm, std::string_view text, std::string_view pattern, const Costs& costs,
                      std::uint64_t parts = 1) {
    AsmOptions options;
    options.algorithm = algorithm;
    options.parts = parts;
    options.threads = 2;
    std::uint32_t distance = 12345;
    const auto result = asm_distance(std::span(&pattern, 1), std::span(&text, 1), costs, options, {&distance, 1});
    REQUIRE(result.error.empty());
    REQUIRE(!result.stopped);
    return distance;
}

std::vector<std::string_view> views_of(const std::vector<std::string>& strings) {
    return {strings.begin(), strings.end()};
}

std::vector<std::size_t> lengths_of(const std::vector<std::string>& patterns) {
    std::vector<std::size_t> lengths;
    for (const auto& pattern : patterns) lengths.push_back(characters(pattern).size());
    return lengths;
}

// Random texts and patterns, of which some are near a text.
struct RandomTexts {
    std::vector<std::string> texts, patterns;

    RandomTexts(Random& random, std::size_t n_texts, std::size_t n_patterns, std::size_t text_max,
                std::size_t pattern_max) {
        for (std::size_t i = 0; i < std::max(n_texts, n_patterns); ++i) {
            RandomPair pair = random_pair(random, text_max, pattern_max);
            while (characters(pair.pattern).size() > pattern_max || pair.pattern.empty())
                pair = random_pair(random, text_max, pattern_max);
            if (i < n_texts) texts.push_back(pair.text);
            if (i < n_patterns) patterns.push_back(pair.pattern);
        }
    }
};

std::vector<std::uint32_t> reference_of(const RandomTexts& all, const Costs& costs, Extent extent) {
    std::vector<std::uint32_t> distances;
    for (const auto& text : all.texts) {
        for (const auto& pattern : all.patterns)
            distances.push_back(extent == Extent::whole ? edit_distance(text, pattern, costs)
                                                        : approx_distance(text, pattern, costs));
    }
    return distances;
}

}  // namespace

TEST_CASE("O-ASM, w-SCAN and w-Shuffle on the CPU give the papers' examples", "[approximate]") {
    for (const AsmAlgorithm algorithm : asm_algorithms) {
        CAPTURE(asm_name(algorithm));
        CHECK(asm_one(algorithm, "aaabbbaa", "ababa", CostTable::unit) == 1);
        CHECK(asm_one(algorithm, "aaabbb", "ababa", CostTable::unit) == 2);
        CHECK(asm_one(algorithm, "aaabbb", "aabaa", CostTable::unit) == 2);
    }
}

TEST_CASE("O-ASM, w-SCAN and w-Shuffle on the CPU answer as the reference does at all edges", "[approximate]") {
    Random random(21);
    const std::u32string letters[] = {U"ab", U"ACGT", U"abcdefghijklmnopqrstuvwxyz", U"aäßлж漢😀é"};
    for (const std::size_t m : {1u, 31u, 32u, 33u, 63u, 64u, 65u, 500u, 1024u}) {
        for (const std::size_t n : {0u, 1u, 31u, 32u, 33u, 1000u}) {
            const auto& alphabet = letters[random.below(std::size(letters))];
            const std::string pattern = utf8_of(random_codes(random, m, alphabet));
            const std::string text = utf8_of(random_codes(random, n, alphabet));
            const Costs all_costs[] = {CostTable::unit, CostTable::typing, CostTable::vowels,
                                       Costs(random_matrix(random, "abcdACGT"))};
            for (const Costs& costs : all_costs) {
                const std::uint32_t expected = approx_distance(text, pattern, costs);
                for (const AsmAlgorithm algorithm : asm_algorithms) {
                    for (const std::uint64_t parts : {1u, 2u, 7u}) {
                        CAPTURE(m, n, asm_name(algorithm), parts, costs.unit());
                        REQUIRE(asm_one(algorithm, text, pattern, costs, parts) == expected);
                    }
                }
            }
        }
    }
}

TEST_CASE("O-ASM, w-SCAN and w-Shuffle on the CPU answer as the reference does", "[approximate]") {
    Random random(22);
    for (std::size_t round = 0; round < test_rounds(40); ++round) {
        const RandomTexts all(random, 3, 4, round % 20 == 19 ? 3000 : 200, 140);
        const Costs costs(random_matrix(random, "abcdefgh QWERTYACGT"));
        const auto expected = reference_of(all, costs, Extent::substring);
        for (const AsmAlgorithm algorithm : asm_algorithms) {
            AsmOptions options;
            options.algorithm = algorithm;
            options.threads = 3;
            options.parts = random.below(5);
            std::vector<std::uint32_t> distances(expected.size(), 12345);
            static_cast<void>(asm_distance(views_of(all.patterns), views_of(all.texts), costs, options, distances));
            CAPTURE(asm_name(algorithm), options.parts);
            REQUIRE(distances == expected);
        }
    }
}

TEST_CASE("a text of 1024 characters is cut into the parts of the example", "[approximate]") {
    Random random(23);
    const std::string text = utf8_of(random_codes(random, 1024, U"ab"));
    const std::string pattern = utf8_of(random_codes(random, 32, U"ab"));
    AsmOptions options;
    options.parts = 4;
    std::uint32_t distance = 0;
    const std::string_view x = pattern, y = text;
    CHECK(asm_distance(std::span(&x, 1), std::span(&y, 1), CostTable::unit, options, {&distance, 1}).parts == 4);
    CHECK(distance == approx_distance(text, pattern));
}

TEST_CASE("patterns that an algorithm can't take are refused", "[approximate]") {
    CHECK(asm_refusal(1024, CostTable::unit, AsmAlgorithm::o_asm, true).empty());
    CHECK(asm_refusal(2000, CostTable::unit, AsmAlgorithm::w_scan, false) ==
          "the pattern has 2000 characters; w-scan takes at most 1024");
    CostMatrix dear;
    dear.deletion = 255;
    const Costs costs(dear);
    CHECK(asm_refusal(257, costs, AsmAlgorithm::w_shuffle, true).empty());
    CHECK(asm_refusal(258, costs, AsmAlgorithm::w_shuffle, false).empty());
    CHECK(asm_refusal(258, costs, AsmAlgorithm::w_scan, true).empty());
    CHECK(asm_refusal(258, costs, AsmAlgorithm::w_shuffle, true) ==
          "deleting all 258 characters of the pattern costs 65790; w-shuffle on a GPU takes at most 65535");
}

TEST_CASE("work that is stopped says so", "[approximate]") {
    const std::string text(1'000'000, 'a'), pattern(1000, 'b');
    const std::string_view x = pattern, y = text;
    for (const AsmAlgorithm algorithm : asm_algorithms) {
        AsmOptions options;
        options.algorithm = algorithm;
        options.watch = [](double) { return false; };
        std::uint32_t distance = 0;
        CHECK(asm_distance(std::span(&x, 1), std::span(&y, 1), CostTable::unit, options, {&distance, 1}).stopped);
    }
    AllPairsOptions options;
    AllPairs pairs(std::span(&x, 1), CostTable::typing, options, {});
    std::uint32_t distance = 0;
    CHECK(!pairs.match(std::span(&y, 1), {&distance, 1}, [](double) { return false; }));
}

TEST_CASE("all pairs by every method answer as the reference does", "[approximate]") {
    Random random(24);
    const Algorithm algorithms[] = {Algorithm::automatic, Algorithm::o_asm, Algorithm::w_scan, Algorithm::w_shuffle};
    for (std::size_t round = 0; round < test_rounds(30); ++round) {
        const RandomTexts all(random, 4, round % 5 == 4 ? 70 : 5, 300, 100);
        const Costs some[] = {CostTable::unit, CostTable::typing, Costs(random_matrix(random, "abcACGTxyz"))};
        const Costs& costs = random.pick(some);
        for (const Extent extent : {Extent::substring, Extent::whole}) {
            const auto expected = reference_of(all, costs, extent);
            for (const Algorithm algorithm : algorithms) {
                AllPairsOptions options;
                options.extent = extent;
                options.algorithm = algorithm;
                options.processor = Processor::cpu;
                options.threads = 1 + static_cast<unsigned>(random.below(3));
                options.parts = extent == Extent::whole ? 0 : random.below(6);
                if (random.chance(50)) options.within = static_cast<std::uint32_t>(random.below(40));
                const auto lengths = lengths_of(all.patterns);
                const Plan plan = AllPairs::plan(lengths, costs, options, false);
                if (extent == Extent::whole && algorithm != Algorithm::automatic) {
                    CHECK(plan.error ==
                          std::string(method_name(plan.method)) + " compares substrings, not whole texts");
                    continue;
                }
                REQUIRE(plan.error.empty());
                AllPairs pairs(views_of(all.patterns), costs, options, plan);
                std::vector<std::uint32_t> distances(expected.size(), 12345);
                REQUIRE(pairs.match(views_of(all.texts), distances, {}));
                for (std::size_t i = 0; i < expected.size(); ++i) {
                    CAPTURE(method_name(plan.method), int(extent), options.parts, i);
                    if (!options.within || expected[i] <= *options.within)
                        REQUIRE(distances[i] == expected[i]);
                    else
                        REQUIRE(distances[i] > *options.within);
                }
            }
        }
    }
}

TEST_CASE("long texts and many patterns are divided, and nothing is lost", "[approximate]") {
    Random random(25);
    std::u32string codes = random_codes(random, 300'000, U"ACGT");
    RandomTexts all(random, 0, 0, 0, 0);
    for (const std::size_t m : {20u, 300u, 3000u})
        all.patterns.push_back(utf8_of(mutated(random, codes.substr(random.below(200'000), m), m / 10, U"ACGT")));
    codes.insert(150'000, U"é漢");
    all.texts.push_back(utf8_of(codes));
    AllPairsOptions options;
    options.threads = 3;
    const Plan plan = AllPairs::plan(lengths_of(all.patterns), CostTable::unit, options, false);
    AllPairs pairs(views_of(all.patterns), CostTable::unit, options, plan);
    std::vector<std::uint32_t> distances(3);
    REQUIRE(pairs.match(views_of(all.texts), distances, {}));
    CHECK(pairs.work().parts > 1);
    for (std::size_t p = 0; p < 3; ++p)
        CHECK(distances[p] == edlib_distance(all.texts[0], all.patterns[p], EDLIB_MODE_HW));
}

TEST_CASE("the plan names the processor and the reason for an error", "[approximate]") {
    const std::vector<std::size_t> lengths{10, 2000};
    AllPairsOptions options;
    const auto plan = [&](const Costs& costs, bool has_gpu) {
        return AllPairs::plan(lengths, costs, options, has_gpu);
    };
    options.cells_expected = 1e12;
    CHECK(plan(CostTable::unit, true).on_gpu);
    CHECK(!plan(CostTable::unit, false).on_gpu);
    CHECK(!plan(CostTable::typing, true).on_gpu);  // w-Shuffle does not take 2000 characters
    CHECK(plan(CostTable::typing, true).method == Method::dynamic_program);
    options.cells_expected = 1e6;
    CHECK(!plan(CostTable::unit, true).on_gpu);
    options.processor = Processor::gpu;
    CHECK(plan(CostTable::typing, true).pattern == 1);
    CHECK(plan(CostTable::typing, true).error == "the pattern has 2000 characters; w-shuffle takes at most 1024");
    CostMatrix dear;
    dear.deletion = 100;
    const std::vector<std::size_t> thousand{1000};
    CHECK(AllPairs::plan(thousand, Costs(dear), options, true).method == Method::w_scan);
    options.algorithm = Algorithm::bit_parallel;
    CHECK(plan(CostTable::typing, true).error == "on a GPU, bit-parallel takes unit costs only; w-shuffle takes any");
    options.parts = 3;
    CHECK(plan(CostTable::unit, true).error == "on a GPU, bit-parallel chooses the parts of a text itself");
    options.extent = Extent::whole;
    CHECK(plan(CostTable::vowels, true).error == "on a GPU, whole texts are compared at unit costs only");
}
