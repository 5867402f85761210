#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include "gpu/operators/alignment/cuda/lane_group_aligner.hpp"
#include "gpu/operators/alignment/cuda/two_way_aligner.hpp"
#include "gpu/operators/alignment/cuda/wavefront_aligner.hpp"
#include "gpu/operators/alignment/many.hpp"
#include "gpu/operators/alignment/rows.hpp"
#include "gpu/operators/alignment/scheme/reference.hpp"
#include "tests/cuda/on_device.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/source_folder.hpp"
#include "tests/unit/gpu/operators/alignment/random_sequences.hpp"
#include "tests/unit/gpu/operators/alignment/vectors.hpp"

using namespace sluice;
using namespace sluice::alignment;
using sluice::testing::has_device;

namespace {

bool no_clusters() {
    if (!has_device()) return true;
    if (TwoWayAligner::available()) return false;
    sluice::testing::skip("a CUDA device without clusters");
    return true;
}

// Whether an alignment with this score ends here: then appending a match raises its score by one match.
bool ends_at(const Scheme& scheme, Codes query, Codes text, const EndPoint& end) {
    if (end.score == 0) return true;
    std::vector<Code> q(query.begin(), query.begin() + end.query_end), t(text.begin(), text.begin() + end.text_end);
    q.push_back(0);
    t.push_back(0);
    return reference_align(scheme, Mode::local, q, t).score >= end.score + scheme.scores[0][0];
}

// Checks pairs side by side, in all modes: pruned or not, seeded, and as predicates that hold or don't.
void check_long(WavefrontAligner& device, const Scheme& scheme, std::span<const SequencePair> pairs, TileShape shape,
                Random& random) {
    std::vector<EndPoint> expected, global;
    std::vector<SequencePair> seeded(pairs.begin(), pairs.end()), exceeded = seeded, reached = seeded, missed = seeded;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        expected.push_back(reference_align(scheme, Mode::local, pairs[k].query, pairs[k].text));
        global.push_back(reference_align(scheme, Mode::global, pairs[k].query, pairs[k].text));
        const std::int32_t score = expected[k].score;
        const auto less = static_cast<std::int32_t>(below(random, static_cast<std::size_t>(std::max(score, 1))));
        seeded[k].known_below = less;
        exceeded[k].known_below = score + static_cast<std::int32_t>(below(random, 3));
        reached[k].known_below = less, reached[k].stop_at = less + 1;
        missed[k].known_below = score, missed[k].stop_at = score + 1;
    }
    const auto plain = device.align(Mode::local, pairs, false, shape);
    const auto pruned = device.align(Mode::local, pairs, true, shape);
    const auto from_seed = device.align(Mode::local, seeded, true, shape);
    const auto at_most = device.align(Mode::local, exceeded, true, shape);
    const auto hit = device.align(Mode::local, reached, true, shape);
    const auto miss = device.align(Mode::local, missed, true, shape);
    const auto ends = device.align(Mode::global, pairs, true, shape);
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < pairs.size() && wrong < 5; ++k) {
        const std::int32_t score = expected[k].score;
        const bool right = plain[k].score == score && pruned[k].score == score && from_seed[k].score == score &&
                           at_most[k].score <= score && (hit[k].score > reached[k].known_below) == (score > 0) &&
                           miss[k].score <= score && ends[k].score == global[k].score &&
                           ends_at(scheme, pairs[k].query, pairs[k].text, plain[k]) &&
                           ends_at(scheme, pairs[k].query, pairs[k].text, pruned[k]);
        if (right) continue;
        ++wrong;
        INFO(pairs[k].query.size() << " x " << pairs[k].text.size() << ", " << scheme.highest << ' ' << scheme.lowest
                                   << ' ' << scheme.gap_first << ' ' << scheme.gap_further << "; tiles of "
                                   << shape.rows << " x " << shape.columns << "; score " << score << ", global "
                                   << global[k].score << "; got " << plain[k].score << ' ' << pruned[k].score << ' '
                                   << from_seed[k].score << ' ' << at_most[k].score << ' ' << hit[k].score << " of "
                                   << reached[k].stop_at << ' ' << miss[k].score << ' ' << ends[k].score << " at "
                                   << plain[k].query_end << ", " << plain[k].text_end);
        CHECK(right);
    }
    CHECK(wrong == 0);
}

constexpr TileShape long_shapes[] = {{2, 4}, {4, 8}};

void check_long(WavefrontAligner& device, const Scheme& scheme, Codes query, Codes text, Random& random) {
    const SequencePair pair{query, text};
    for (const TileShape shape : long_shapes) check_long(device, scheme, std::span(&pair, 1), shape, random);
}

Scheme random_dna_scheme(Random& random) {
    for (;;) {
        const Scheme scheme = below(random, 3) == 0 ? Scheme::dna() : random_scheme(random);
        if (scheme.alphabet == Scheme::Alphabet::dna && scheme.highest < 128 && scheme.lowest >= -128) return scheme;
    }
}

// Without N.
std::vector<Code> of_four_letters(std::vector<Code> sequence) {
    for (auto& code : sequence) code &= 3;
    return sequence;
}

std::vector<Code> read_fasta(const Scheme& scheme, const char* name) {
    std::ifstream file(testing::shared_folder("sequences") / name);
    std::string header;
    std::getline(file, header);
    return scheme.encode(std::string(std::istreambuf_iterator<char>(file), {}));
}

}  // namespace

// Needs no device.
TEST_CASE("the plan of many pairs has each once, beside pairs of its text, the long ones first", "[cuda][alignment]") {
    Random random(15);
    for (int round = 0; round < 100; ++round) {
        const Scheme scheme = random_scheme(random);
        SequenceSet queries, texts;
        for (std::size_t n = 1 + below(random, 200); n > 0; --n)
            queries.add(random_sequence(random, scheme, below(random, 3) == 0 ? 9'000 : below(random, 100)));
        for (std::size_t n = 1 + below(random, 6); n > 0; --n)
            texts.add(random_sequence(random, scheme, below(random, 700)));
        std::vector<std::uint32_t> ranks(queries.size());
        for (std::size_t a = 0; a < ranks.size(); ++a) {
            for (std::size_t b = 0; b < ranks.size(); ++b)
                ranks[a] += queries.length(b) > queries.length(a) || (queries.length(b) == queries.length(a) && b < a);
        }
        std::vector<Pair> pairs(below(random, 2'000));
        for (Pair& pair : pairs)
            pair = {static_cast<std::uint32_t>(below(random, queries.size())),
                    static_cast<std::uint32_t>(below(random, texts.size()))};
        const Mode mode = round % 2 == 0 ? Mode::local : Mode::global;
        const LaneGroupPlan plan(scheme, mode, queries, ranks, texts, pairs, round % 7 == 0);
        std::vector<int> seen(pairs.size());
        std::uint64_t cells = 0;
        std::size_t wrong = 0;
        for (const auto& launch : plan.launches) {
            std::uint32_t rows_before = ~0u;
            for (const LaneGroupChunk& chunk : launch.chunks) {
                wrong += chunk.rows > rows_before || chunk.items == 0 || chunk.items > 256 / launch.shape.group;
                rows_before = chunk.rows;
                std::size_t longest = 0;
                for (std::uint32_t i = chunk.first_item; i < chunk.first_item + chunk.items; ++i) {
                    for (int half = 0; half < 2; ++half) {
                        const std::uint32_t k = plan.items[i].out[half], query = plan.items[i].query[half];
                        if (k == LaneGroupItem::none) continue;
                        ++seen[k];
                        wrong += pairs[k].query != query || pairs[k].text != chunk.text;
                        wrong += launch.shape.wide && half == 1;
                        cells += queries.length(query) * texts.length(chunk.text);
                        longest = std::max(longest, queries.length(query));
                    }
                }
                wrong += longest != chunk.rows;
            }
        }
        CHECK(wrong == 0);
        CHECK(std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; }));
        CHECK(plan.cells == cells);
    }
}

TEST_CASE("a device scores many random pairs as a core does", "[cuda][alignment]") {
    if (!has_device()) return;
    Random random(11);
    std::size_t pairs_left = test_rounds(100'000);
    while (pairs_left > 0) {
        const Scheme scheme = random_scheme(random);
        const std::size_t longest = below(random, 20) == 0 ? 2500 : 400;
        const auto ancestor = random_sequence(random, scheme, random_length(random, longest));
        const auto queries = random_set(random, scheme, 1 + below(random, 300), longest, ancestor);
        const auto texts = random_set(random, scheme, 1 + below(random, 20), longest, ancestor);
        const auto pairs = random_pairs(random, queries.size(), texts.size(), 1 + below(random, 10));
        LaneGroupAligner device(scheme);
        device.set_queries(queries);
        for (const Mode mode : {Mode::local, Mode::global}) {
            INFO("mode " << static_cast<int>(mode) << ", " << scheme.highest << ' ' << scheme.lowest << ' '
                         << scheme.gap_first << ' ' << scheme.gap_further);
            std::vector<std::int32_t> expected(pairs.size()), scores(pairs.size(), -12345);
            align_many(scheme, mode, queries, texts, pairs, expected);
            device.align(mode, texts, pairs, scores);
            std::size_t wrong = 0;
            for (std::size_t k = 0; k < pairs.size(); ++k) {
                if (scores[k] == expected[k] || wrong++ > 0) continue;
                CAPTURE(queries.length(pairs[k].query), texts.length(pairs[k].text), scores[k], expected[k]);
                CHECK(scores[k] == expected[k]);
            }
            CHECK(wrong == 0);
            REQUIRE(wrong < pairs.size() / 2 + 1);
            std::vector<std::int32_t> thresholds(pairs.size());
            for (std::size_t k = 0; k < pairs.size(); ++k)
                thresholds[k] = expected[k] + static_cast<std::int32_t>(below(random, 41)) - 20;
            std::vector<std::uint8_t> hits(pairs.size(), 7);
            device.reaches(mode, texts, pairs, thresholds, hits);
            std::size_t wrong_hits = 0;
            for (std::size_t k = 0; k < pairs.size(); ++k) wrong_hits += hits[k] != (expected[k] >= thresholds[k]);
            CHECK(wrong_hits == 0);
        }
        pairs_left -= std::min(pairs_left, pairs.size());
    }
}

TEST_CASE("known scores come from the device", "[cuda][alignment]") {
    if (!has_device()) return;
    for (const auto& known : known_scores()) {
        INFO(known.query << " x " << known.text << ", " << known.scheme);
        const auto scheme = parse_scheme(known.scheme).scheme;
        SequenceSet queries, texts;
        queries.add(scheme.encode(known.query));
        texts.add(scheme.encode(known.text));
        LaneGroupAligner many(scheme);
        many.set_queries(queries);
        WavefrontAligner one(scheme);
        const Pair pairs[] = {{0, 0}};
        for (const auto& [mode, expected] :
             {std::pair(Mode::local, known.local), std::pair(Mode::global, known.global)}) {
            std::int32_t score = 0;
            many.align(mode, texts, pairs, std::span(&score, 1));
            CHECK(score == expected);
            const EndPoint end = one.align(mode, queries[0], texts[0]);
            CHECK(end.score == expected);
            CHECK((mode == Mode::global || is_known_end(known, end)));
            if (!TwoWayAligner::available() || !TwoWayAligner::fits(scheme, mode, queries[0], texts[0])) continue;
            const SequencePair pair{queries[0], texts[0]};
            CHECK(is_known_end(known, TwoWayAligner(scheme).align(std::span(&pair, 1)).front()));
        }
    }
}

TEST_CASE("a long pair scores as the definition says, pruned, seeded and stopped or not", "[cuda][alignment]") {
    if (!has_device()) return;
    Random random(12);
    constexpr std::size_t lengths[] = {1,  2,  3,  4,   5,   15,  16,  17,  31,  32,
                                       33, 63, 64, 127, 128, 129, 257, 511, 513, 1100};
    for (const std::size_t m : lengths) {
        for (const std::size_t n : lengths) {
            if (below(random, 4) != 0) continue;
            const Scheme scheme = random_scheme(random);
            WavefrontAligner device(scheme);
            const auto text = random_sequence(random, scheme, n);
            check_long(device, scheme, random_sequence(random, scheme, m), text, random);
            check_long(device, scheme, mutated(random, scheme, text, 20), text, random);
        }
    }
}

TEST_CASE("so do many random pairs side by side, of odd and tiny sizes", "[cuda][alignment]") {
    if (!has_device()) return;
    Random random(14);
    constexpr std::size_t at_once = 5'000;
    const std::size_t batches = test_rounds(100'000) / at_once;
    for (std::size_t batch = 0; batch < batches; ++batch) {
        const Scheme scheme = batch % 3 == 0 ? Scheme::dna() : random_scheme(random);
        std::vector<std::vector<Code>> sequences;
        for (std::size_t k = 0; k < at_once; ++k) {
            const std::size_t longest = below(random, 20) == 0 ? 700 : 150;
            const auto text = random_sequence(random, scheme, random_length(random, longest));
            sequences.push_back(below(random, 2) == 0
                                    ? mutated(random, scheme, text, 20)
                                    : random_sequence(random, scheme, random_length(random, longest)));
            sequences.push_back(text);
        }
        std::vector<SequencePair> pairs;
        for (std::size_t k = 0; k < sequences.size(); k += 2) pairs.push_back({sequences[k], sequences[k + 1]});
        WavefrontAligner device(scheme);
        check_long(device, scheme, pairs, long_shapes[batch % std::size(long_shapes)], random);
    }
}

TEST_CASE("so does a pair whose text takes many blocks", "[cuda][alignment]") {
    if (!has_device()) return;
    Random random(13);
    for (const std::size_t m : {1u, 33u, 130u, 700u, 3000u}) {
        const Scheme scheme = random_scheme(random);
        WavefrontAligner device(scheme);
        const auto text = random_sequence(random, scheme, 40'001 + below(random, 600));
        const Codes part = Codes(text).subspan(below(random, 30'000), m);
        check_long(device, scheme, mutated(random, scheme, part, 20), text, random);
    }
}

TEST_CASE("clusters align many random pairs as the definition says, seeded or not", "[cuda][alignment]") {
    if (no_clusters()) return;
    Random random(15);
    constexpr std::size_t at_once = 2'000;
    const std::size_t batches = test_rounds(16'000) / at_once;
    for (std::size_t batch = 0; batch < batches; ++batch) {
        const Scheme scheme = random_dna_scheme(random);
        std::vector<std::vector<Code>> sequences;
        std::vector<SequencePair> pairs;
        for (std::size_t k = 0; k < at_once; ++k) {
            const std::size_t longest = k == 0 ? 2500 : below(random, 20) == 0 ? 700 : 150;
            auto text = random_sequence(random, scheme, 1 + below(random, longest));
            auto query =
                of_four_letters(below(random, 2) == 0 ? mutated(random, scheme, text, 20)
                                                      : random_sequence(random, scheme, below(random, longest)));
            if (query.empty()) query.push_back(0);
            if (below(random, 2) == 0) std::swap(query, text);
            sequences.push_back(std::move(query));
            sequences.push_back(std::move(text));
        }
        std::vector<EndPoint> expected;
        for (std::size_t k = 0; k < sequences.size(); k += 2) {
            REQUIRE(TwoWayAligner::fits(scheme, Mode::local, sequences[k], sequences[k + 1]));
            expected.push_back(reference_align(scheme, Mode::local, sequences[k], sequences[k + 1]));
            const std::int32_t score = expected.back().score;
            const bool seeded = below(random, 2) == 0;
            pairs.push_back(
                {sequences[k], sequences[k + 1],
                 seeded ? static_cast<std::int32_t>(below(random, static_cast<std::size_t>(score) + 2)) : 0});
        }
        std::vector<SequencePair> reached = pairs, missed = pairs;
        for (std::size_t k = 0; k < pairs.size(); ++k) {
            const std::int32_t score = expected[k].score;
            reached[k].stop_at = 1 + static_cast<std::int32_t>(below(random, static_cast<std::size_t>(score) + 1));
            reached[k].known_below = reached[k].stop_at - 1;
            missed[k].known_below = score, missed[k].stop_at = score + 1;
        }
        TwoWayAligner device(scheme);
        const auto ends = device.align(pairs);
        const auto hits = device.scores(reached), misses = device.scores(missed);
        std::size_t wrong = 0;
        for (std::size_t k = 0; k < pairs.size(); ++k) {
            const std::int32_t score = expected[k].score;
            const bool found = pairs[k].known_below < score
                                   ? ends[k].score == score && ends_at(scheme, pairs[k].query, pairs[k].text, ends[k])
                                   : ends[k].score <= score;
            const bool right = found && misses[k] <= score && hits[k] <= score &&
                               (hits[k] >= reached[k].stop_at) == (score >= reached[k].stop_at);
            if (right || wrong++ > 2) continue;
            CAPTURE(pairs[k].query.size(), pairs[k].text.size(), score, ends[k].score, pairs[k].known_below);
            CHECK(right);
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("a cluster aligns pairs of thousands of letters as a core does", "[cuda][alignment]") {
    if (no_clusters()) return;
    Random random(16);
    constexpr std::pair<std::size_t, std::size_t> sizes[] = {{4096, 4096}, {8192, 6000}, {1000, 32'768},
                                                             {2049, 2047}, {4000, 127},  {129, 10'000}};
    for (const auto& [m, n] : sizes) {
        const Scheme scheme = random_dna_scheme(random);
        const auto text = random_sequence(random, scheme, n);
        auto related = of_four_letters(mutated(random, scheme, text, 30));
        related.resize(std::min(m, related.size()));
        const auto unrelated = of_four_letters(random_sequence(random, scheme, m));
        for (const Codes query : {Codes(related), Codes(unrelated)}) {
            if (!TwoWayAligner::fits(scheme, Mode::local, query, text)) continue;
            const std::int32_t score = align_rows(scheme, Mode::local, query, text).score;
            const SequencePair pair{query, text};
            // With fewer blocks a warp takes several strips, as on a device with no room for more.
            for (const unsigned blocks : {TwoWayAligner::way_blocks_max, 4u, 1u}) {
                TwoWayAligner device(scheme, blocks);
                const EndPoint end = device.align(std::span(&pair, 1)).front();
                CAPTURE(query.size(), n, score, blocks);
                CHECK(end.score == score);
                const Codes before = query.first(std::min<std::size_t>(end.query_end, query.size()));
                const Codes text_before = Codes(text).first(std::min<std::size_t>(end.text_end, n));
                CHECK(align_rows(scheme, Mode::local, before, text_before).score == score);
            }
        }
    }
}

// Two matching parts, and between them so many letters of one of the sequences that the gap may span whole strips.
TEST_CASE("a cluster finds alignments with gaps of hundreds of letters wherever its two ways meet",
          "[cuda][alignment]") {
    if (no_clusters()) return;
    Random random(17);
    const std::size_t rounds = test_rounds(300);
    std::vector<std::vector<Code>> sequences;
    std::vector<SequencePair> pairs;
    const Scheme scheme = Scheme::dna(9, -10, 4, 1);
    const auto of_length = [&](std::size_t length) {
        std::vector<Code> letters(length);
        for (auto& code : letters) code = static_cast<Code>(below(random, 4));
        return letters;
    };
    const auto append = [](std::vector<Code>& to, const std::vector<Code>& letters) {
        to.insert(to.end(), letters.begin(), letters.end());
    };
    for (std::size_t round = 0; round < rounds; ++round) {
        std::vector<Code> query = of_length(below(random, 200)), text = of_length(below(random, 200));
        for (std::size_t part = 0; part < 3; ++part) {
            const auto common = of_length(100 + below(random, 500));
            append(query, common), append(text, common);
            append(below(random, 2) == 0 ? query : text, of_length(below(random, 700)));
        }
        append(query, of_length(below(random, 200))), append(text, of_length(below(random, 200)));
        sequences.push_back(std::move(query)), sequences.push_back(std::move(text));
    }
    for (std::size_t k = 0; k < sequences.size(); k += 2) pairs.push_back({sequences[k], sequences[k + 1]});
    TwoWayAligner device(scheme);
    const auto ends = device.align(pairs);
    const auto scores = device.scores(pairs);
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        const Codes query = pairs[k].query, text = pairs[k].text;
        const std::int32_t score = align_rows(scheme, Mode::local, query, text).score;
        const EndPoint end = ends[k];
        const bool right =
            scores[k] == score && end.score == score && end.query_end <= query.size() && end.text_end <= text.size() &&
            align_rows(scheme, Mode::local, query.first(end.query_end), text.first(end.text_end)).score == score;
        if (right || wrong++ > 2) continue;
        CAPTURE(query.size(), text.size(), score, scores[k], end.score, end.query_end, end.text_end);
        CHECK(right);
    }
    CHECK(wrong == 0);
}

TEST_CASE("a device aligns a phage and its mutants as parasail does, in linear memory", "[cuda][alignment]") {
    if (!has_device()) return;
    const Scheme scheme = Scheme::dna();
    const auto phage = read_fasta(scheme, "enterobacteria_phage_1.fasta");
    if (phage.empty()) {
        sluice::testing::skip("no sequences in ../shared");
        return;
    }
    WavefrontAligner device(scheme);
    for (const auto& [name, local, global] : {std::tuple("enterobacteria_phage_1_mutated_97.fasta", 81314, 81314),
                                              std::tuple("enterobacteria_phage_1_mutated_90.fasta", 53163, 53152)}) {
        const auto mutant = read_fasta(scheme, name);
        CHECK(device.align(Mode::local, phage, mutant, {.prune = false}).score == local);
        CHECK(device.statistics().pruned_share() == 0);
        CHECK(device.align(Mode::local, phage, mutant).score == local);
        CHECK(device.statistics().pruned_share() > 0.2);
        CHECK(device.align(Mode::global, phage, mutant).score == global);
        CHECK(device.device_bytes() < 16 * phage.size() + 2 * mutant.size() + 100'000);
    }
}

TEST_CASE("a pair that does not fit the device's memory is refused by name", "[cuda][alignment]") {
    if (!has_device()) return;
    std::size_t available = 0, total = 0;
    cuda::check(cudaMemGetInfo(&available, &total), "cudaMemGetInfo");
    const cuda::DeviceBuffer<char> most(available - available / 1000);
    const Scheme scheme = Scheme::dna();
    WavefrontAligner device(scheme);
    const std::vector<Code> sequence(60'000'000);
    CHECK_THROWS_WITH(device.align(Mode::local, sequence, sequence), Catch::Contains("cudaErrorMemoryAllocation"));
}
