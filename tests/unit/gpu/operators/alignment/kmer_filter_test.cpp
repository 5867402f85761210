#include "gpu/operators/alignment/kmer_filter.hpp"

#include <catch2/catch.hpp>
#include <limits>

#include "gpu/operators/alignment/many.hpp"
#include "tests/unit/gpu/operators/alignment/random_sequences.hpp"

using namespace sluice::alignment;

namespace {

struct Work {
    Scheme scheme;
    SequenceSet queries, texts;
    std::vector<Pair> pairs;  // all, by text
    std::vector<std::int32_t> scores;

    Work(const Scheme& s, SequenceSet q, SequenceSet t) : scheme(s), queries(std::move(q)), texts(std::move(t)) {
        for (std::uint32_t text = 0; text < texts.size(); ++text) {
            for (std::uint32_t query = 0; query < queries.size(); ++query) pairs.push_back({query, text});
        }
        scores.resize(pairs.size());
        align_many(scheme, Mode::local, queries, texts, pairs, scores);
    }
};

Scheme random_dna(Random& random) {
    const auto up_to = [&](std::size_t most) { return 1 + static_cast<int>(below(random, most)); };
    if (below(random, 2) == 0) return Scheme::dna();
    return Scheme::dna(up_to(4), -up_to(6), up_to(9), up_to(4));
}

// Sequences that share more or fewer letters with an ancestor, some with letters that match nothing.
SequenceSet relatives(Random& random, const Scheme& scheme, Codes ancestor, std::size_t count) {
    SequenceSet set;
    for (std::size_t i = 0; i < count; ++i) {
        auto sequence = mutated(random, scheme, ancestor, 3 + below(random, 40));
        for (auto& code : sequence) {
            if (code == 4 && below(random, 20) != 0) code = static_cast<Code>(below(random, 4));
        }
        set.add(sequence);
    }
    return set;
}

std::vector<std::uint8_t> possible(const Work& work, const KmerFilter& filter,
                                   const std::vector<std::int32_t>& thresholds) {
    std::vector<std::uint8_t> may(work.pairs.size(), 1);
    filter.skip(work.texts, work.pairs, thresholds, may);
    return may;
}

SequenceSet random_texts(Random& random, std::size_t count, std::size_t length) {
    SequenceSet set;
    for (std::size_t i = 0; i < count; ++i) {
        std::vector<Code> sequence(length);
        for (auto& code : sequence) code = static_cast<Code>(below(random, 4));
        set.add(sequence);
    }
    return set;
}

double skipped_share(Random& random, std::int32_t threshold) {
    const Work work(Scheme::dna(), random_texts(random, 100, 300), random_texts(random, 10, 300));
    const auto filter = KmerFilter::make(work.scheme, work.queries, std::vector(work.queries.size(), threshold));
    if (!filter) return 0;
    const auto may = possible(work, *filter, std::vector(work.pairs.size(), threshold));
    return static_cast<double>(std::count(may.begin(), may.end(), 0)) / static_cast<double>(may.size());
}

}  // namespace

TEST_CASE("no pair that reaches its threshold is skipped", "[alignment]") {
    Random random(11);
    std::size_t pairs = 0, skipped = 0;
    for (std::size_t round = 0; round < test_rounds(10); ++round) {
        const Scheme scheme = random_dna(random);
        const auto ancestor = random_sequence(random, scheme, 20 + below(random, 300));
        const Work work(scheme, relatives(random, scheme, ancestor, 60), relatives(random, scheme, ancestor, 6));
        const KmerFilter filter(scheme, work.queries, 2 + below(random, 8));
        for (const int more : {0, 1, 2, 20 * scheme.highest}) {
            auto thresholds = work.scores;
            for (auto& threshold : thresholds) threshold += more;
            const auto may = possible(work, filter, thresholds);
            pairs += may.size();
            skipped += static_cast<std::size_t>(std::count(may.begin(), may.end(), 0));
            if (more != 0) continue;
            const auto lost = std::find(may.begin(), may.end(), 0);
            INFO("round " << round << ", pair " << lost - may.begin());
            REQUIRE(lost == may.end());
        }
    }
    INFO(pairs << " pairs, " << skipped << " skipped");
    CHECK(skipped > pairs / 50);
}

TEST_CASE("what the proof says is what the worst alignment has", "[alignment]") {
    // A mismatch in the middle of every run: 275 matches in 26 runs are a score of 200 for 300 letters.
    const auto scheme = Scheme::dna();
    CHECK(shared_least(scheme, 6, 300, 200) == 275 - 26 * 5);
    CHECK(shared_least(scheme, 9, 300, 200) == 275 - 26 * 8);
    CHECK(shared_least(scheme, 6, 300, 100) == 250 - 51 * 5);  // proves nothing
    CHECK(shared_least(scheme, 6, 300, 300) == 295);
    CHECK(shared_least(scheme, 6, 300, 301) == std::numeric_limits<std::int64_t>::max());
    CHECK(shared_least(scheme, 6, 300, 0) == 0);
    CHECK(shared_least(Scheme::dna(1, -3, 2, 2), 6, 300, 200) == 300 - 51 * 5);  // gaps are cheaper than mismatches
    CHECK(shared_least(Scheme::blosum62(), 4, 300, 200) == 0);
}

TEST_CASE("an alignment with as few shared letters as the proof allows is kept", "[alignment]") {
    const auto scheme = Scheme::dna();
    Random random(13);
    for (const std::size_t mismatches : {0u, 1u, 10u, 24u, 25u}) {
        SequenceSet queries = random_texts(random, 30, 300), texts;
        std::vector<Code> text(queries[7].begin(), queries[7].end());
        for (std::size_t i = 1; i <= mismatches; ++i) {
            auto& code = text[i * 300 / (mismatches + 1)];
            code = static_cast<Code>((code + 1) % 4);
        }
        texts.add(text);
        const Work work(scheme, std::move(queries), std::move(texts));
        REQUIRE(work.scores[7] == 300 - 4 * static_cast<int>(mismatches));
        const std::vector<std::int32_t> thresholds(30, work.scores[7]);
        const auto filter = KmerFilter::make(scheme, work.queries, thresholds);
        REQUIRE(filter);
        const auto may = possible(work, *filter, thresholds);
        CHECK(may[7] == 1);
        CHECK(std::count(may.begin(), may.end(), 0) == 29);
    }
}

TEST_CASE("unrelated sequences are skipped where something can be proved", "[alignment]") {
    Random random(14);
    CHECK(skipped_share(random, 200) == 1);
    CHECK(skipped_share(random, 150) > 0.99);
    CHECK(skipped_share(random, 100) == 0);
}

TEST_CASE("a filter is made only where it skips", "[alignment]") {
    Random random(15);
    const auto queries = random_texts(random, 20, 300);
    CHECK_FALSE(KmerFilter::make(Scheme::dna(), queries, std::vector(20, 60)));
    CHECK_FALSE(KmerFilter::make(Scheme::dna(), queries, std::vector(20, std::numeric_limits<std::int32_t>::min())));
    CHECK_FALSE(KmerFilter::make(Scheme::dna(), random_texts(random, 3, 300), std::vector(3, 200)));
    CHECK_FALSE(KmerFilter::make(Scheme::blosum62(), queries, std::vector(20, 200)));
    CHECK_FALSE(KmerFilter::make(Scheme::dna(), SequenceSet{}, {}));
    CHECK(KmerFilter::make(Scheme::dna(), queries, std::vector(20, 200), 20 * 300));
    CHECK_FALSE(KmerFilter::make(Scheme::dna(), queries, std::vector(20, 200), 20 * 300 - 1));
}
