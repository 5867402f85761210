#include "gpu/operators/alignment/scheme/scheme.hpp"

#include <catch2/catch.hpp>

using namespace sluice::alignment;

TEST_CASE("a scheme is read from its text", "[alignment]") {
    const auto dna = parse_scheme("dna").scheme;
    CHECK(dna.highest == 1);
    CHECK(dna.lowest == -3);
    CHECK(dna.gap_cost(0) == 0);
    CHECK(dna.gap_cost(1) == 5);
    CHECK(dna.gap_cost(3) == 9);
    const auto custom = parse_scheme("dna:2,-1,-4,-1").scheme;
    CHECK(custom.scores[0][0] == 2);
    CHECK(custom.scores[0][1] == -1);
    CHECK(custom.gap_first == 4);
    CHECK(custom.gap_further == 1);
    const auto protein = parse_scheme("blosum62:11,1").scheme;
    CHECK(protein.letters == 24);
    CHECK(protein.highest == 11);
    CHECK(protein.gap_first == 11);
    CHECK(parse_scheme("blosum50").scheme.highest == 15);
    CHECK(parse_scheme(" BLOSUM62: 10, -2").scheme.gap_first == 10);
    CHECK(parse_scheme("DNA:+1, -3, 5, 2").error.empty());
}

TEST_CASE("a further gap letter costs no more than a first, of which it is a special case", "[alignment]") {
    CHECK(parse_scheme("dna:1,-1,2,7").scheme.gap_further == 2);
}

TEST_CASE("what is no scheme is refused with what was expected", "[alignment]") {
    const auto error = [](const char* text) { return parse_scheme(text).error; };
    CHECK(error("rna") == "scheme 'rna': expected 'dna', 'blosum62' or 'blosum50', optionally with ':' and numbers");
    CHECK(error("dna:1,-3") ==
          "scheme 'dna:1,-3': expected 'dna:match,mismatch,first,extend', whole numbers up to 1000");
    for (const char* bad :
         {"dna:", "dna:1,2,3,4", "dna:0,-3,-5,-2", "dna:1,-3,0,0", "dna:1,-3,-5,-2,1", "dna:x,-3,-5,-2",
          "dna:1001,-3,-5,-2", "dna:1,-3,-5,", "blosum62:11", "blosum62:0,1", "blosum80", ""}) {
        INFO(bad);
        CHECK_FALSE(error(bad).empty());
    }
}

TEST_CASE("letters become codes: case and white space do not matter, unknown nucleotides match nothing",
          "[alignment]") {
    const auto dna = Scheme::dna();
    CHECK(dna.encode("ac g\r\nTu") == std::vector<Code>{0, 1, 2, 3, 3});
    const auto unknown = dna.encode("N\xff-");
    REQUIRE(unknown.size() == 3);
    for (const auto code : unknown) {
        CHECK(code == 4);
        for (std::size_t other = 0; other < 5; ++other) CHECK(dna.scores[code][other] == -3);
    }
    const auto protein = Scheme::blosum62();
    CHECK(protein.encode("Wj") == std::vector<Code>{17, 22});
    CHECK(protein.scores[17][17] == 11);
}
