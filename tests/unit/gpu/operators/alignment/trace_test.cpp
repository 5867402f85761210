#include "gpu/operators/alignment/trace.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <utility>

#include "gpu/operators/alignment/scheme/reference.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/source_folder.hpp"
#include "tests/unit/gpu/operators/alignment/random_sequences.hpp"
#include "tests/unit/gpu/operators/alignment/score_of.hpp"
#include "tests/unit/gpu/operators/alignment/vectors.hpp"

using namespace sluice::alignment;

namespace {

void check_alignment(const Scheme& scheme, Mode mode, Codes query, Codes text) {
    INFO(query.size() << " x " << text.size() << ", mode " << static_cast<int>(mode) << ", " << scheme.highest << ' '
                      << scheme.lowest << ' ' << scheme.gap_first << ' ' << scheme.gap_further);
    const EndPoint expected = reference_align(scheme, mode, query, text);
    const EndPoint end = align_rows(scheme, mode, query, text);
    CHECK(end.score == expected.score);
    const Alignment alignment = trace(scheme, mode, query, text, end);
    CHECK(alignment.score == expected.score);
    CHECK(score_of(scheme, alignment, query, text) == expected.score);
    CHECK(alignment.query_end - alignment.query_begin ==
          alignment.columns('=') + alignment.columns('X') + alignment.columns('I'));
    CHECK(alignment.text_end - alignment.text_begin ==
          alignment.columns('=') + alignment.columns('X') + alignment.columns('D'));
    if (mode == Mode::global) {
        CHECK(alignment.query_end - alignment.query_begin == query.size());
        CHECK(alignment.text_end - alignment.text_begin == text.size());
    } else if (end.score > 0) {
        CHECK(alignment.query_end == end.query_end);
        CHECK(alignment.text_end == end.text_end);
    }
}

// The whole matrix of the global alignment, letter by letter; gaps at the left border open for `left_first`.
struct Matrix {
    std::int32_t best = 0;           // of all cells
    std::vector<std::int32_t> h, f;  // the last row

    Matrix(const Scheme& scheme, int left_first, Codes query, Codes text)
        : h(text.size() + 1), f(text.size() + 1, -(1 << 30)) {
        for (std::size_t j = 0; j < h.size(); ++j) h[j] = -static_cast<std::int32_t>(scheme.gap_cost(j));
        for (std::size_t i = 1; i <= query.size(); ++i) {
            std::int32_t diagonal = h[0], e = -(1 << 30);
            h[0] = f[0] = -left_first - static_cast<std::int32_t>(i - 1) * scheme.gap_further;
            for (std::size_t j = 1; j < h.size(); ++j) {
                e = std::max(e - scheme.gap_further, h[j - 1] - scheme.gap_first);
                f[j] = std::max(f[j] - scheme.gap_further, h[j] - scheme.gap_first);
                const std::int32_t cell = std::max({diagonal + scheme.scores[query[i - 1]][text[j - 1]], e, f[j]});
                diagonal = std::exchange(h[j], cell);
                best = std::max(best, cell);
            }
        }
    }
};

void check_global_rows(Random& random, const Scheme& scheme, Codes query, Codes text, InstructionSet set) {
    CHECK(align_from_start(scheme, query, text, {}, set).score == Matrix(scheme, scheme.gap_first, query, text).best);
    const int left_first = below(random, 2) == 0 ? scheme.gap_first : scheme.gap_further;
    const Matrix expected(scheme, left_first, query, text);
    std::vector<std::int32_t> h(text.size() + 1), f(text.size() + 1);
    last_row(scheme, left_first, query, text, h, f, {}, set);
    CHECK(h == expected.h);
    for (std::size_t j = 0; j < h.size(); ++j) {
        const std::int32_t opened = h[j] - (scheme.gap_first - scheme.gap_further);
        if (std::max(f[j], opened) != std::max(expected.f[j], opened)) FAIL("F of column " << j);
    }
}

std::vector<Code> read_fasta(const Scheme& scheme, const char* name) {
    std::ifstream file(sluice::testing::shared_folder("sequences") / name);
    std::string header;
    std::getline(file, header);
    return scheme.encode(std::string(std::istreambuf_iterator<char>(file), {}));
}

}  // namespace

TEST_CASE("an alignment scores what was promised, and covers what it says", "[alignment]") {
    Random random(3);
    for (std::size_t round = 0; round < test_rounds(150); ++round) {
        const Scheme scheme = random_scheme(random);
        const auto text = random_sequence(random, scheme, random_length(random, 200));
        const auto query = below(random, 3) == 0 ? random_sequence(random, scheme, random_length(random, 200))
                                                 : mutated(random, scheme, text, 4 + below(random, 30));
        for (const Mode mode : {Mode::local, Mode::global}) check_alignment(scheme, mode, query, text);
    }
}

TEST_CASE("rows of every instruction set end where the definition says", "[alignment]") {
    Random random(8);
    for (std::size_t round = 0; round < test_rounds(60); ++round) {
        const Scheme scheme = random_scheme(random);
        const auto text = random_sequence(random, scheme, random_length(random, 200));
        const auto query = below(random, 2) == 0 ? random_sequence(random, scheme, random_length(random, 200))
                                                 : mutated(random, scheme, text, 4 + below(random, 30));
        for (const auto set : instruction_sets()) {
            INFO("round " << round << ", instruction set " << static_cast<int>(set));
            const EndPoint local = reference_align(scheme, Mode::local, query, text);
            const EndPoint found = align_rows(scheme, Mode::local, query, text, {}, set);
            CHECK(found.score == local.score);
            const auto to = [](std::span<const Code> codes, std::uint32_t end) { return codes.first(end); };
            CHECK(reference_align(scheme, Mode::local, to(query, found.query_end), to(text, found.text_end)).score ==
                  local.score);
            CHECK(align_rows(scheme, Mode::global, query, text, {}, set) ==
                  reference_align(scheme, Mode::global, query, text));
            check_global_rows(random, scheme, query, text, set);
        }
    }
}

TEST_CASE("one that is too large to be traced at once is divided", "[alignment]") {
    Random random(4);
    for (std::size_t round = 0; round < test_rounds(1); ++round) {
        for (const Scheme& scheme :
             {Scheme::dna(), Scheme::dna(1, -1, 9, 1), Scheme::blosum62(), Scheme::dna(2, -3, 3, 3)}) {
            const auto text = random_sequence(random, scheme, 2200 + below(random, 100));
            auto query = mutated(random, scheme, text, 25);
            query.insert(query.begin() + 700, 500, Code{1});  // a gap that many divisions hit
            check_alignment(scheme, Mode::local, query, text);
            check_alignment(scheme, Mode::global, text, query);
            check_alignment(scheme, Mode::global, query, text);
        }
    }
}

TEST_CASE("gaps are written as SAM does", "[alignment]") {
    const auto scheme = Scheme::dna();
    const auto cigar = [&](const char* query, const char* text) {
        const auto q = scheme.encode(query), t = scheme.encode(text);
        return trace(scheme, Mode::local, q, t, align_rows(scheme, Mode::local, q, t)).cigar();
    };
    CHECK(cigar("ACGTTGCAACGGTCATTGCA", "ACGTTGCAACTCATTGCA") == "10=2I8=");
    CHECK(cigar("ACGTTGCAACTCATTGCA", "ACGTTGCAACGGTCATTGCA") == "10=2D8=");
    CHECK(cigar("CCCCACGTACGTACCC", "GGGGACGTACGTAGGG") == "9=");
    CHECK(cigar("AAAA", "CCCC").empty());
}

TEST_CASE("work ends when it is told to", "[alignment]") {
    Random random(5);
    const auto scheme = Scheme::dna();
    const auto sequence = random_sequence(random, scheme, 2000);
    std::uint64_t cells = 0;
    align_rows(scheme, Mode::local, sequence, sequence, [&](std::uint64_t more) { return (cells += more) < 100'000; });
    CHECK(cells >= 100'000);
    CHECK(cells < 400'000);
}

TEST_CASE("a phage aligns to its mutants as parasail says", "[alignment]") {
    const auto scheme = Scheme::dna();
    const auto phage = read_fasta(scheme, "enterobacteria_phage_1.fasta");
    if (phage.empty()) {
        sluice::testing::skip("no sequences in ../shared");
        return;
    }
    const auto part = Codes(phage).first(6'000);
    const auto mutant = read_fasta(scheme, "enterobacteria_phage_1_mutated_90.fasta");
    check_alignment(scheme, Mode::local, part, Codes(mutant).first(6'000));
    if (test_rounds(1) < 2) return;  // seconds each
    for (const auto& [name, local, global] : {std::tuple("enterobacteria_phage_1_mutated_97.fasta", 81314, 81314),
                                              std::tuple("enterobacteria_phage_1_mutated_90.fasta", 53163, 53152)}) {
        const auto text = read_fasta(scheme, name);
        const EndPoint end = align_rows(scheme, Mode::local, phage, text);
        CHECK(end.score == local);
        CHECK(score_of(scheme, trace(scheme, Mode::local, phage, text, end), phage, text) == local);
        CHECK(align_rows(scheme, Mode::global, phage, text).score == global);
    }
}
