#include "gpu/operators/alignment/many.hpp"

#include <catch2/catch.hpp>

#include "gpu/operators/alignment/scheme/reference.hpp"
#include "tests/unit/gpu/operators/alignment/random_sequences.hpp"
#include "tests/unit/gpu/operators/alignment/vectors.hpp"

using namespace sluice::alignment;

namespace {

struct Work {
    Scheme scheme;
    Mode mode;
    SequenceSet queries, texts;
    std::vector<Pair> pairs;
    std::vector<std::int32_t> expected;

    Work(const Scheme& s, Mode m, SequenceSet q, SequenceSet t, std::vector<Pair> p)
        : scheme(s), mode(m), queries(std::move(q)), texts(std::move(t)), pairs(std::move(p)) {
        for (const auto& pair : pairs)
            expected.push_back(reference_align(scheme, mode, queries[pair.query], texts[pair.text]).score);
    }
};

Work random_work(Random& random, std::size_t longest) {
    const Scheme scheme = random_scheme(random);
    const auto ancestor = random_sequence(random, scheme, random_length(random, longest));
    auto queries = random_set(random, scheme, 1 + below(random, 70), longest, ancestor);
    auto texts = random_set(random, scheme, 1 + below(random, 4), longest, ancestor);
    auto pairs = random_pairs(random, queries.size(), texts.size(), 1 + below(random, 10));
    if (below(random, 4) == 0) std::swap(queries, texts);
    for (auto& pair : pairs) {
        if (pair.query >= queries.size() || pair.text >= texts.size()) std::swap(pair.query, pair.text);
    }
    std::erase_if(pairs, [&](const Pair& p) { return p.query >= queries.size() || p.text >= texts.size(); });
    return {scheme, below(random, 2) == 0 ? Mode::local : Mode::global, std::move(queries), std::move(texts),
            std::move(pairs)};
}

// Thresholds at, just below and just above the scores, and at random.
std::vector<std::int32_t> random_thresholds(Random& random, const Work& work) {
    std::vector<std::int32_t> thresholds;
    for (const auto score : work.expected) {
        const auto near = score + static_cast<std::int32_t>(below(random, 5)) - 2;
        thresholds.push_back(below(random, 3) != 0 ? near : static_cast<std::int32_t>(below(random, 400)) - 100);
    }
    return thresholds;
}

void check(Random& random, const Work& work, InstructionSet set) {
    std::vector<std::int32_t> scores(work.pairs.size(), -12345);
    align_many(work.scheme, work.mode, work.queries, work.texts, work.pairs, scores, set);
    CHECK(scores == work.expected);
    const auto thresholds = random_thresholds(random, work);
    std::vector<std::uint8_t> hits(work.pairs.size(), 2), expected_hits;
    for (std::size_t k = 0; k < hits.size(); ++k) expected_hits.push_back(work.expected[k] >= thresholds[k]);
    align_reaches(work.scheme, work.mode, work.queries, work.texts, work.pairs, thresholds, hits, set);
    CHECK(hits == expected_hits);
}

}  // namespace

TEST_CASE("many random pairs at once score as they do one by one", "[alignment]") {
    Random random(1);
    for (std::size_t round = 0; round < test_rounds(40); ++round) {
        const Work work = random_work(random, 150);
        for (const auto set : instruction_sets()) {
            INFO("round " << round << ", instruction set " << static_cast<int>(set));
            check(random, work, set);
        }
    }
}

TEST_CASE("lanes that exceed 8 and 16 bits are done again with wider ones", "[alignment]") {
    Random random(2);
    const Scheme scheme = Scheme::dna(1000, -1000, 1000, 1000);
    SequenceSet queries, texts;
    const auto text = random_sequence(random, scheme, 400);
    texts.add(text);
    for (const std::size_t length : {10u, 60u, 70u, 399u, 400u}) queries.add(Codes(text).first(length));
    queries.add(mutated(random, scheme, text, 30));
    queries.add(random_sequence(random, scheme, 300));
    std::vector<Pair> pairs;
    for (std::uint32_t q = 0; q < queries.size(); ++q) pairs.push_back({q, 0});
    const Work work(scheme, Mode::local, queries, texts, pairs);
    REQUIRE(work.expected[4] > 65'535);
    for (const auto set : instruction_sets()) check(random, work, set);
    const Work bytes(Scheme::dna(), Mode::local, queries, texts, pairs);
    for (const auto set : instruction_sets()) check(random, bytes, set);
}

TEST_CASE("few pairs of a text are striped, with the same scores", "[alignment]") {
    Random random(6);
    for (std::size_t round = 0; round < test_rounds(150); ++round) {
        const Scheme scheme = random_scheme(random);
        const auto ancestor = random_sequence(random, scheme, random_length(random, 300));
        auto queries = random_set(random, scheme, 1 + below(random, 3), 300, ancestor);
        auto texts = random_set(random, scheme, 1 + below(random, 3), 300, ancestor);
        auto pairs = random_pairs(random, queries.size(), texts.size(), 10);
        const Work work(scheme, Mode::local, std::move(queries), std::move(texts), std::move(pairs));
        for (const auto set : instruction_sets()) {
            INFO("round " << round << ", instruction set " << static_cast<int>(set));
            check(random, work, set);
        }
    }
}

TEST_CASE("known scores come from every instruction set", "[alignment]") {
    for (const auto& known : known_scores()) {
        INFO(known.query << " x " << known.text << ", " << known.scheme);
        const auto scheme = parse_scheme(known.scheme).scheme;
        SequenceSet queries, texts;
        queries.add(scheme.encode(known.query));
        texts.add(scheme.encode(known.text));
        const Pair pairs[] = {{0, 0}, {0, 0}};
        for (const auto set : instruction_sets()) {
            std::int32_t scores[2] = {};
            align_many(scheme, Mode::local, queries, texts, pairs, scores, set);
            CHECK(scores[1] == known.local);
            align_many(scheme, Mode::global, queries, texts, pairs, scores, set);
            CHECK(scores[0] == known.global);
        }
    }
}
