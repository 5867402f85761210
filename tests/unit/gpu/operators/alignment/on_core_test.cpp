#include "gpu/operators/alignment/on_core.hpp"

#include <catch2/catch.hpp>

#include "gpu/operators/alignment/rows.hpp"
#include "gpu/operators/alignment/trace.hpp"
#include "tests/unit/gpu/operators/alignment/random_sequences.hpp"
#include "tests/unit/gpu/operators/alignment/score_of.hpp"
#include "tests/unit/gpu/operators/alignment/vectors.hpp"

using namespace sluice::alignment;

namespace {

// Checks the best score, and that an alignment with this score ends there.
void check_end(const Scheme& scheme, Codes query, Codes text, const EndPoint& found) {
    const EndPoint expected = reference_align(scheme, Mode::local, query, text);
    CHECK(found.score == expected.score);
    REQUIRE(found.query_end <= query.size());
    REQUIRE(found.text_end <= text.size());
    if (expected.score == 0) {
        CHECK(found == EndPoint{});
        return;
    }
    const auto cell = [&](std::size_t m, std::size_t n) {
        return reference_align(scheme, Mode::local, query.first(m), text.first(n)).score;
    };
    CHECK(cell(found.query_end, found.text_end) == expected.score);
    const Alignment traced = trace(scheme, Mode::local, query, text, found);
    CHECK(score_of(scheme, traced, query, text) == expected.score);
}

void check_every_set(const Scheme& scheme, Codes query, Codes text) {
    for (const auto set : instruction_sets()) {
        INFO(query.size() << " x " << text.size() << ", instruction set " << static_cast<int>(set));
        check_end(scheme, query, text, align_on_core(scheme, Mode::local, query, text, {}, set));
        CHECK(align_on_core(scheme, Mode::global, query, text, {}, set) ==
              reference_align(scheme, Mode::global, query, text));
    }
}

}  // namespace

TEST_CASE("a pair on one core ends where an alignment of the best score does", "[alignment]") {
    Random random(21);
    for (std::size_t round = 0; round < test_rounds(100); ++round) {
        INFO("round " << round);
        const Scheme scheme = random_scheme(random);
        const auto text = random_sequence(random, scheme, random_length(random, 400));
        const auto query = below(random, 2) == 0 ? random_sequence(random, scheme, random_length(random, 200))
                                                 : mutated(random, scheme, text, 4 + below(random, 30));
        check_every_set(scheme, query, text);
    }
}

TEST_CASE("known pairs end where textbooks and other programs have them end", "[alignment]") {
    for (const auto& known : known_scores()) {
        const auto scheme = parse_scheme(known.scheme).scheme;
        const auto query = scheme.encode(known.query), text = scheme.encode(known.text);
        for (const auto set : instruction_sets()) {
            INFO(known.query << " x " << known.text << ", " << known.scheme << ", instruction set "
                             << static_cast<int>(set));
            CHECK(is_known_end(known, align_on_core(scheme, Mode::local, query, text, {}, set)));
            CHECK(is_known_end(known, align_rows(scheme, Mode::local, query, text, {}, set)));
        }
    }
}

TEST_CASE("lanes that become too narrow hand over to wider ones, with the end", "[alignment]") {
    Random random(22);
    const Scheme scheme = Scheme::dna(100, -300, 500, 200);  // 8, 16, then 32 bits
    std::vector<Code> text(900);
    for (auto& code : text) code = static_cast<Code>(below(random, 4));
    check_every_set(scheme, mutated(random, scheme, text, 40), text);
    check_every_set(scheme, text, text);
    REQUIRE(reference_align(scheme, Mode::local, text, text).score > 65'535);
}

TEST_CASE("a pair ends when it is told to, and says how much is done", "[alignment]") {
    Random random(23);
    const auto scheme = Scheme::dna();
    const auto query = random_sequence(random, scheme, 1000), text = random_sequence(random, scheme, 700'000);
    std::uint64_t cells = 0, calls = 0;
    const auto whole = align_on_core(scheme, Mode::local, query, text, [&](std::uint64_t more) {
        cells += more;
        return ++calls > 0;
    });
    CHECK(cells == query.size() * text.size());
    CHECK(calls > 2);
    CHECK(align_on_core(scheme, Mode::local, query, text) == whole);
    calls = 0;
    align_on_core(scheme, Mode::local, query, text, [&](std::uint64_t) { return ++calls < 2; });
    CHECK(calls == 2);
}
