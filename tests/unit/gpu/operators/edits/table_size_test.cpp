#include "gpu/operators/edits/table_size.hpp"

#include <catch2/catch.hpp>
#include <numeric>

#include "gpu/operators/edits/myers_groups.hpp"
#include "tests/differential/random.hpp"

using namespace sluice;
using namespace sluice::edits;

namespace {

// Patterns of `characters` classes each, out of `classes`.
struct Patterns {
    std::vector<std::vector<std::uint32_t>> classes;
    std::uint32_t alphabet;

    Patterns(Random& random, std::size_t patterns, std::size_t characters, std::uint32_t of) : alphabet(of) {
        for (std::size_t p = 0; p < patterns; ++p) {
            auto& pattern = classes.emplace_back();
            for (std::size_t i = 0; i < characters; ++i)
                pattern.push_back(static_cast<std::uint32_t>(random.below(alphabet)));
        }
    }
    std::size_t allowed() const {
        std::size_t sum = 0;
        for (const auto& p : classes) sum += table_bytes_max({p.size(), distinct_of(p).size()});
        return sum;
    }
    MyersGroups groups(InstructionSet set) const {
        MyersGroups groups(Extent::substring, set);
        const std::vector<std::span<const std::uint32_t>> spans(classes.begin(), classes.end());
        std::vector<std::uint32_t> ids(classes.size());
        std::iota(ids.begin(), ids.end(), 0u);
        groups.add(spans, ids, alphabet);
        return groups;
    }
};

}  // namespace

TEST_CASE("tables take what their patterns are allowed, however many characters these have", "[approximate]") {
    Random random(1);
    for (const std::size_t characters : {3u, 32u, 33u, 480u, 700u, 1360u, 16'384u}) {
        for (const std::uint32_t alphabet : {130u, 256u, 400u, 5'000u, 300'000u}) {
            for (const std::size_t n : {1u, 3u, 20u, 70u}) {
                if (n * characters > 100'000) continue;
                CAPTURE(characters, alphabet, n);
                const Patterns patterns(random, n, characters, alphabet);
                CHECK(patterns.groups(InstructionSet::portable).bytes() <= patterns.allowed());
                CHECK(patterns.groups(simd::best_instruction_set()).bytes() <= patterns.allowed());
            }
        }
    }
}

TEST_CASE("what patterns are allowed is in proportion to them", "[approximate]") {
    CHECK(table_bytes_max({20, 20}) == 8u << 10);
    CHECK(table_bytes_max({1'360, 1'360}) < 100u << 10);
    CHECK(table_bytes_max({16'384, 16'384}) < 1u << 20);
    CHECK(table_bytes_max({16'384, 96}) < 512u << 10);
}

TEST_CASE("patterns of few different characters stand side by side", "[approximate]") {
    Random random(2);
    const InstructionSet set = simd::best_instruction_set();
    for (const std::size_t characters : {20u, 200u, 2'000u}) {
        const std::size_t lanes = characters <= 32 ? myers_kernel<std::uint32_t>(set, Width::four).lanes
                                                   : myers_kernel<std::uint64_t>(set, Width::four).lanes;
        CHECK(Patterns(random, 2 * lanes, characters, 128).groups(set).groups() == 2);
    }
}
