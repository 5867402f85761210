#include "gpu/operators/alignment/tiles.hpp"

#include <catch2/catch.hpp>

#include "gpu/operators/alignment/lanes/tile_kernel.hpp"
#include "tests/unit/gpu/operators/alignment/random_sequences.hpp"

using namespace sluice::alignment;

namespace {

Scheme random_dna(Random& random) {
    Scheme scheme = random_scheme(random);
    while (scheme.alphabet != Scheme::Alphabet::dna) scheme = random_scheme(random);
    return scheme;
}

// Checks the best score, and that an alignment with this score ends there.
void check(const Scheme& scheme, Codes query, Codes text, const EndPoint& expected, const TilesResult& found) {
    CHECK(found.end.score == expected.score);
    REQUIRE(found.end.query_end <= query.size());
    REQUIRE(found.end.text_end <= text.size());
    CHECK((found.pruned_share >= 0 && found.pruned_share <= 1));
    if (expected.score == 0) {
        CHECK(found.end == EndPoint{});
    } else if (!(found.end == expected)) {
        const auto there =
            reference_align(scheme, Mode::local, query.first(found.end.query_end), text.first(found.end.text_end));
        CHECK(there.score == expected.score);
    }
}

void check_all(const Scheme& scheme, Codes query, Codes text, unsigned threads) {
    const EndPoint expected = reference_align(scheme, Mode::local, query, text);
    for (const auto set : instruction_sets()) {
        for (const bool prune : {false, true}) {
            INFO(query.size() << " x " << text.size() << ", instruction set " << static_cast<int>(set) << ", prune "
                              << prune << ", threads " << threads);
            check(scheme, query, text, expected,
                  align_tiles(scheme, Mode::local, query, text, prune, threads, {}, set));
        }
    }
}

}  // namespace

TEST_CASE("tiles score as the definition says, pruned or not, with any number of threads", "[alignment]") {
    Random random(51);
    for (std::size_t round = 0; round < test_rounds(150); ++round) {
        INFO("round " << round);
        const Scheme scheme = random_dna(random);
        const auto text = random_sequence(random, scheme, random_length(random, 700));
        const auto query = below(random, 2) == 0 ? random_sequence(random, scheme, random_length(random, 500))
                                                 : mutated(random, scheme, text, 4 + below(random, 60));
        check_all(scheme, query, text, 1 + static_cast<unsigned>(below(random, 3)));
    }
}

TEST_CASE("tiles give the global score, too", "[alignment]") {
    Random random(56);
    for (std::size_t round = 0; round < test_rounds(60); ++round) {
        INFO("round " << round);
        const Scheme scheme = random_dna(random);
        const auto text = random_sequence(random, scheme, 1 + random_length(random, 700));
        auto query = mutated(random, scheme, text, 4 + below(random, 60));
        query.push_back(0);
        for (const auto set : instruction_sets())
            CHECK(align_tiles(scheme, Mode::global, query, text, true, 2, {}, set).end ==
                  reference_align(scheme, Mode::global, query, text));
    }
}

TEST_CASE("what begins at a known place is found there, though most is left out", "[alignment]") {
    Random random(57);
    for (std::size_t round = 0; round < test_rounds(100); ++round) {
        INFO("round " << round);
        const Scheme scheme = random_dna(random);
        const auto text = random_sequence(random, scheme, 1 + random_length(random, 700));
        auto query = mutated(random, scheme, text, 4 + below(random, 60));
        query.push_back(0);
        const EndPoint expected = align_from_start(scheme, query, text);
        if (expected.score == 0) continue;
        for (const auto set : instruction_sets()) {
            const EndPoint end = tiles_from_start(scheme, query, text, expected.score, 2, {}, set);
            CHECK(end.score == expected.score);
            const auto part = Codes(query).first(end.query_end);
            CHECK(reference_align(scheme, Mode::global, part, Codes(text).first(end.text_end)).score == end.score);
        }
    }
}

TEST_CASE("a row has what is on an alignment of a known score, and nothing that might be", "[alignment]") {
    Random random(58);
    for (std::size_t round = 0; round < test_rounds(100); ++round) {
        INFO("round " << round);
        const Scheme scheme = random_dna(random);
        const auto text = random_sequence(random, scheme, 1 + random_length(random, round % 10 == 0 ? 9000 : 700));
        auto query = mutated(random, scheme, text, 4 + below(random, 60));
        query.push_back(0);
        const std::size_t rows = 1 + below(random, query.size()), rows_below = query.size() - rows, n = text.size();
        const auto total = reference_align(scheme, Mode::global, query, text).score;
        std::vector<std::int32_t> h(n + 1), f(n + 1), h_all(n + 1), f_all(n + 1);
        const auto upper = Codes(query).first(rows);
        last_row(scheme, scheme.gap_first, upper, text, h_all, f_all);
        for (const auto set : instruction_sets()) {
            last_row_of_tiles(scheme, scheme.gap_first, upper, rows_below, text, total, h, f, 2, {}, set);
            bool right = true;
            for (std::size_t j = 0; j <= n; ++j) {
                const auto least = total - scheme.gap_first - scheme.score_bound(rows_below, n - j);
                right = right && (h_all[j] >= least ? h[j] == h_all[j] : h[j] < least);
                right = right && (f_all[j] >= least && f_all[j] > h_all[j] - scheme.gap_first + scheme.gap_further
                                      ? f[j] == f_all[j]
                                      : f[j] < least || f[j] <= h[j] - scheme.gap_first + scheme.gap_further);
            }
            CHECK(right);
        }
    }
}

TEST_CASE("alignments go on from tile to tile", "[alignment]") {
    Random random(52);
    for (const std::size_t length : {tile_columns - 1, tile_columns, tile_columns + 1, 2 * tile_columns + 77}) {
        const Scheme scheme = below(random, 2) == 0 ? Scheme::dna() : random_dna(random);
        const auto text = random_sequence(random, scheme, length);
        const std::size_t begin = below(random, length - 600);
        check_all(scheme, mutated(random, scheme, Codes(text).subspan(begin, 550), 20), text, 2);
    }
}

TEST_CASE("scores above what 16 bits hold, and scores too far apart for them", "[alignment]") {
    Random random(53);
    const Scheme near = Scheme::dna(100, -300, 500, 200), far = Scheme::dna(1000, -1000, 1000, 1000);
    std::vector<Code> text(900);
    for (auto& code : text) code = static_cast<Code>(below(random, 4));
    REQUIRE(reference_align(near, Mode::local, text, text).score > 65'535);
    for (const Scheme& scheme : {near, far}) {
        check_all(scheme, text, text, 1);
        check_all(scheme, mutated(random, scheme, text, 40), text, 2);
    }
}

TEST_CASE("what can't hold the best score is left out", "[alignment]") {
    Random random(54);
    const Scheme scheme = Scheme::dna();
    std::vector<Code> text(sluice::testing::is_sanitized ? 15'000 : 40'000);
    for (auto& code : text) code = static_cast<Code>(below(random, 4));
    const auto query = mutated(random, scheme, text, 100);
    const TilesResult all = align_tiles(scheme, Mode::local, query, text, false),
                      some = align_tiles(scheme, Mode::local, query, text, true, 3);
    CHECK(all.pruned_share == 0);
    CHECK(some.pruned_share > 0.2);
    CHECK(some.threads == 3);
    CHECK(some.end.score == all.end.score);
}

TEST_CASE("tiles end when they are told to, and say how much is done", "[alignment]") {
    Random random(55);
    const auto scheme = Scheme::dna();
    const auto query = random_sequence(random, scheme, 3000), text = random_sequence(random, scheme, 9000);
    for (const unsigned threads : {1U, 3U}) {
        std::uint64_t cells = 0;
        align_tiles(scheme, Mode::local, query, text, true, threads, [&](std::uint64_t more) {
            cells += more;
            return true;
        });
        CHECK(cells == query.size() * text.size());
        int calls = 0;
        align_tiles(scheme, Mode::local, query, text, true, threads, [&](std::uint64_t) { return ++calls < 2; });
        CHECK((threads == 1 ? calls == 2 : calls <= 2));  // other threads may finish before the second call
    }
}

TEST_CASE("a tile may be close to the highest score there is", "[alignment]") {
    const Scheme scheme = Scheme::dna(100, -1, 5, 1);
    const std::vector<Code> letters(20, 0);
    for (const std::int32_t corner : {0, (1 << 30) - 46'000, (1 << 30) - 30'000}) {
        std::vector<std::int32_t> h(letters.size()), f(h), left_h(h), e(h);
        for (std::size_t i = 0; i < h.size(); ++i) {
            h[i] = left_h[i] = corner - 5 - static_cast<std::int32_t>(i);
            f[i] = e[i] = h[i] - 5;
        }
        for (const auto set : instruction_sets()) {
            const TileKernels& kernels = tile_kernels_of(set);
            if (kernels.words == nullptr) continue;
            auto lower_h = h, lower_f = f, right_h = left_h, right_e = e;
            TileTask task{scheme, letters, letters};
            task.corner = corner;
            task.h = lower_h.data();
            task.f = lower_f.data();
            task.left_h = right_h.data();
            task.e = right_e.data();
            task.base = corner - 300 - INT16_MIN;
            kernels.words(task);
            CHECK(task.best == corner + 2000);
            CHECK(task.query_end == 20);
            CHECK(task.text_end == 20);
        }
    }
}
