// The host entries of approximate matching on the GPU, for tools, against the reference.
#include "gpu/tools/distance/all_pairs.hpp"

#include <catch2/catch.hpp>

#include "gpu/operators/edits/reference.hpp"
#include "gpu/tools/distance/asm.hpp"
#include "tests/cuda/on_device.hpp"
#include "tests/unit/gpu/operators/edits/oracle.hpp"
#include "tests/unit/gpu/operators/edits/random_costs.hpp"

using namespace sluice;
using namespace sluice::edits;
using sluice::testing::has_device;

namespace {

struct Texts {
    std::vector<std::string> texts, patterns;

    // Patterns of 1 … pattern_max characters, of which half are near a text.
    Texts(Random& random, std::size_t text_max, std::size_t pattern_max) {
        while (patterns.size() < 20) {
            const RandomPair pair = random_pair(random, text_max, pattern_max);
            const std::size_t m = characters(pair.pattern).size();
            if (m == 0 || m > pattern_max) continue;
            patterns.push_back(pair.pattern);
            if (texts.size() < 4) texts.push_back(pair.text);
        }
    }
    std::vector<std::string_view> text_views() const { return {texts.begin(), texts.end()}; }
    std::vector<std::string_view> pattern_views() const { return {patterns.begin(), patterns.end()}; }
};

constexpr AsmAlgorithm algorithms[] = {AsmAlgorithm::o_asm, AsmAlgorithm::w_scan, AsmAlgorithm::w_shuffle};

}  // namespace

TEST_CASE("O-ASM, w-SCAN and w-Shuffle of many pairs answer as the reference does", "[cuda][approximate]") {
    if (!has_device()) return;
    Random random(7);
    for (std::size_t round = 0; round < test_rounds(12); ++round) {
        const bool big = round % 4 == 3;
        const Texts all(random, big ? 3000 : 200, big ? asm_pattern_max : 140);
        CostMatrix matrix = random_matrix(random, "abcdefgACGTQWERTY ");
        matrix.deletion = std::min<std::uint8_t>(matrix.deletion, 63);  // w-Shuffle takes 1024 * 63
        for (const Costs& costs : {Costs(CostTable::unit), Costs(CostTable::vowels), Costs(matrix)}) {
            std::vector<std::uint32_t> expected;
            for (const auto& text : all.texts) {
                for (const auto& pattern : all.patterns) expected.push_back(approx_distance(text, pattern, costs));
            }
            for (const AsmAlgorithm algorithm : algorithms) {
                AsmOptions options;
                options.algorithm = algorithm;
                options.on_gpu = true;
                options.parts = random.below(8);
                std::vector<std::uint32_t> distances(expected.size(), 12345);
                const AsmResult result = asm_distance(all.pattern_views(), all.text_views(), costs, options, distances);
                CAPTURE(int(algorithm), options.parts, costs.deletion());
                REQUIRE(result.error.empty());
                CHECK(result.kernel_seconds > 0);
                REQUIRE(distances == expected);
            }
        }
    }
}

TEST_CASE("dear deletions reach w-Shuffle's limit", "[cuda][approximate]") {
    if (!has_device()) return;
    Random random(8);
    CostMatrix matrix;
    matrix.deletion = 63;
    matrix.insertion = 60;
    matrix.other = 255;
    const Costs costs(matrix);
    const std::string pattern = utf8_of(random_codes(random, 1024, U"ab")),
                      text = utf8_of(random_codes(random, 900, U"cd"));
    for (const AsmAlgorithm algorithm : algorithms) {
        AsmOptions options;
        options.algorithm = algorithm;
        options.on_gpu = true;
        const std::string_view x = pattern, y = text;
        std::uint32_t distance = 0;
        REQUIRE(asm_distance(std::span(&x, 1), std::span(&y, 1), costs, options, {&distance, 1}).error.empty());
        CHECK(distance == approx_distance(text, pattern, costs));
    }
}

TEST_CASE("all pairs on the GPU answer as the reference does", "[cuda][approximate]") {
    if (!has_device()) return;
    Random random(9);
    for (std::size_t round = 0; round < test_rounds(10); ++round) {
        const Texts all(random, round % 5 == 4 ? 40'000 : 300, 100);
        auto patterns = all.pattern_views();
        if (random.chance(30)) patterns.resize(5);
        std::vector<std::size_t> lengths;
        for (const std::string_view pattern : patterns) lengths.push_back(characters(pattern).size());
        for (const Extent extent : {Extent::substring, Extent::whole}) {
            for (const CostTable table : {CostTable::unit, CostTable::typing}) {
                if (extent == Extent::whole && table != CostTable::unit) continue;
                AllPairsOptions options;
                options.extent = extent;
                options.processor = edits::Processor::gpu;
                if (random.chance(50)) options.within = static_cast<std::uint32_t>(random.below(40));
                const Plan plan = AllPairs::plan(lengths, table, options, true);
                REQUIRE(plan.error.empty());
                REQUIRE(plan.on_gpu);
                AllPairs pairs(patterns, table, options, plan);
                std::vector<std::uint32_t> distances(all.texts.size() * patterns.size(), 12345);
                REQUIRE(pairs.match(all.text_views(), distances, {}));
                for (std::size_t i = 0; i < distances.size(); ++i) {
                    const auto& text = all.texts[i / patterns.size()];
                    const auto pattern = patterns[i % patterns.size()];
                    const std::uint32_t expected = extent == Extent::whole ? edit_distance(text, pattern, table)
                                                                           : approx_distance(text, pattern, table);
                    CAPTURE(text, pattern, int(extent), int(table), i);
                    if (!options.within || expected <= *options.within)
                        REQUIRE(distances[i] == expected);
                    else
                        REQUIRE(distances[i] > *options.within);
                }
            }
        }
    }
}
