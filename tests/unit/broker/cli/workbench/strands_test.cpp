#include "broker/cli/workbench/strands.hpp"

#include <catch2/catch.hpp>

using namespace sluice::cli;

TEST_CASE("reverse_complement: the other strand, by IUPAC's letters") {
    CHECK(reverse_complement("").empty());
    CHECK(reverse_complement("AACGTNacgtn") == "nacgtNACGTT");
    CHECK(reverse_complement("RYSWKMBDHV") == "BDHVKMWSRY");
    CHECK(reverse_complement("GAUC") == "GAUC");
    CHECK(reverse_complement("AC-L") == "L-GT");
    const std::string all = "ACGTRYSWKMBDHVNacgtryswkmbdhvn";
    CHECK(reverse_complement(reverse_complement(all)) == all);
}

TEST_CASE("find_foreign_letter: the first that is not a nucleotide") {
    CHECK(find_foreign_letter("ACGTURYSWKMBDHVNacgturyswkmbdhvn") == std::string::npos);
    CHECK(find_foreign_letter("ACLE") == 2);
    CHECK(find_foreign_letter("-") == 0);
}
