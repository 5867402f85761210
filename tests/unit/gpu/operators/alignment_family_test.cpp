#include "gpu/operators/alignment_family.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "gpu/operators/alignment/scheme/reference.hpp"
#include "tests/unit/gpu/operators/alignment/random_sequences.hpp"

using namespace sluice;
using namespace sluice::operators;
using alignment::Random;

namespace {

std::string random_dna(Random& random, std::size_t length) {
    std::string text(length, 'A');
    for (auto& letter : text) letter = "ACGT"[alignment::below(random, 4)];
    return text;
}

std::string with_changes(Random& random, std::string text, std::size_t changes) {
    for (std::size_t i = 0; i < changes; ++i) text[alignment::below(random, text.size())] = 'A';
    return text;
}

}  // namespace

TEST_CASE("what the k-mer filter skips is decided as by aligning it, on either side of a bound", "[alignment]") {
    Random random(41);
    const alignment::Scheme scheme = alignment::Scheme::dna();
    std::vector<MeasuredPredicate> predicates;
    std::vector<std::string> queries;
    for (int q = 0; q < 60; ++q) {
        queries.push_back(random_dna(random, 120 + alignment::below(random, 60)));
        const double bound = 80 + static_cast<double>(alignment::below(random, 40));
        const Bounds bounds = q % 3 == 0 ? Bounds{-infinity, bound} : Bounds{bound, infinity};
        predicates.push_back({{engine::Measure::Kind::align, queries.back(), "dna", 0, 0}, bounds});
    }
    std::vector<std::string> letters;
    for (std::size_t t = 0; t < 12; ++t) {
        const std::string relative = with_changes(random, queries[alignment::below(random, 60)], 3 * (t % 4));
        letters.push_back(t % 3 == 2 ? random_dna(random, 150) : random_dna(random, 20) + relative);
    }
    const std::vector<std::string_view> texts(letters.begin(), letters.end());
    std::vector<OperatorFamily::Pair> pairs;
    for (std::uint32_t t = 0; t < texts.size(); ++t) {
        for (std::uint32_t p = 0; p < predicates.size(); ++p) pairs.push_back({p, t});
    }

    const AlignmentFamily family(predicates);
    std::vector<std::uint8_t> holds(pairs.size(), 7), expected;
    OperatorWork work;
    family.evaluate(texts, pairs, holds, work);
    for (const auto& pair : pairs) {
        const auto score = reference_align(scheme, alignment::Mode::local, scheme.encode(queries[pair.predicate]),
                                           scheme.encode(texts[pair.text]))
                               .score;
        expected.push_back(predicates[pair.predicate].bounds.accept(score));
    }
    CHECK(holds == expected);
    const OperatorWork::Kind& done = work.of(engine::Measure::Kind::align);
    CHECK(done.pairs == pairs.size());
    CHECK(done.holds == static_cast<std::uint64_t>(std::count(expected.begin(), expected.end(), 1)));
    CHECK(done.verified >= 6);
    CHECK(done.verified < pairs.size() / 10);
}
