#include "gpu/operators/alignment/trace.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include "gpu/operators/alignment/reference.hpp"
#include "tests/unit/gpu/operators/alignment/random_sequences.hpp"
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

std::vector<Code> read_fasta(const Scheme& scheme, const char* name) {
    std::ifstream file(std::string(SLUICE_SOURCE_DIR "/../shared/sequences/") + name);
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

TEST_CASE("one that is too large to be traced at once is divided", "[alignment]") {
    Random random(4);
    for (std::size_t round = 0; round < test_rounds(1); ++round) {
        for (const Scheme& scheme :
             {Scheme::dna(), Scheme::dna(1, -1, 9, 1), Scheme::blosum62(), Scheme::dna(2, -3, 3, 3)}) {
            const auto text = random_sequence(random, scheme, 2200 + below(random, 100));
            auto query = mutated(random, scheme, text, 25);
            query.insert(query.begin() + 700, 500, Code{1});  // a gap that many divisions fall into
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
        WARN("no sequences in ../shared: skipped");
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
