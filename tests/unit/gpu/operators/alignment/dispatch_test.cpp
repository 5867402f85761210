#include "gpu/operators/alignment/dispatch.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/gpu/operators/alignment/random_sequences.hpp"

using namespace sluice::alignment;

namespace {

SequenceSet sequences_of(std::initializer_list<std::size_t> lengths) {
    SequenceSet set;
    for (const std::size_t length : lengths) set.add(std::vector<Code>(length));
    return set;
}

}  // namespace

TEST_CASE("what the lengths of two sequences decide, the reference says, too", "[alignment]") {
    Random random(31);
    for (std::size_t round = 0; round < 200; ++round) {
        const Scheme scheme = random_scheme(random);
        const auto query = random_sequence(random, scheme, below(random, 20)),
                   text = random_sequence(random, scheme, below(random, 20));
        for (const Mode mode : {Mode::local, Mode::global}) {
            const std::int32_t score = reference_align(scheme, mode, query, text).score;
            for (const std::int32_t threshold : {-1000, -20, score - 1, score, score + 1, 20, 1000}) {
                const auto known = reaches_by_lengths(scheme, mode, query.size(), text.size(), threshold);
                if (known) CHECK(*known == (score >= threshold));
                if (query.empty() || text.empty()) CHECK(known);
            }
        }
    }
}

TEST_CASE("large pairs of a batch are spread over a device, unless there are many", "[alignment]") {
    const SequenceSet queries = sequences_of({100, 2000, 70'000}), texts = sequences_of({1000, 2000});
    CHECK(spread_over_device(sequences_of({100}), texts, std::vector<Pair>{{0, 1}}).empty());
    const std::vector<Pair> pairs{{0, 1}, {1, 0}, {1, 1}, {2, 0}, {2, 1}};
    CHECK(spread_over_device(queries, texts, pairs) == std::vector<std::uint8_t>{0, 1, 1, 1, 1});
    std::vector<Pair> many(300, Pair{1, 1});
    many.push_back({2, 0});
    many.push_back({2, 1});  // far from square
    std::vector<std::uint8_t> expected(302);
    expected.back() = 1;
    CHECK(spread_over_device(queries, texts, many) == expected);
}

TEST_CASE("clusters take few pairs that fit them, several devices a long text", "[alignment]") {
    const std::vector<Code> text(100'000);
    const auto always = [] { return true; };
    CHECK(spread_of(text, 1, 2, always) == Spread::slices);
    CHECK(spread_of(Codes(text).first(99'999), 1, 2, always) == Spread::clusters);
    CHECK(spread_of(text, 16, 1, always) == Spread::clusters);
    CHECK(spread_of(text, 16, 1, [] { return false; }) == Spread::strips);
    CHECK(spread_of(text, 17, 1, []() -> bool { throw std::logic_error("asked in vain"); }) == Spread::strips);
}
