#include "gpu/operators/alignment/reference.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/gpu/operators/alignment/vectors.hpp"

using namespace sluice::alignment;

namespace {

EndPoint align(const std::string& query, const std::string& text, const std::string& scheme_text, Mode mode) {
    const auto scheme = parse_scheme(scheme_text).scheme;
    return reference_align(scheme, mode, scheme.encode(query), scheme.encode(text));
}

}  // namespace

TEST_CASE("the definition gives the scores that textbooks and other programs give", "[alignment]") {
    for (const auto& known : known_scores()) {
        INFO(known.query << " x " << known.text << ", " << known.scheme);
        CHECK(align(known.query, known.text, known.scheme, Mode::local).score == known.local);
        CHECK(align(known.query, known.text, known.scheme, Mode::global).score == known.global);
        CHECK(align(known.text, known.query, known.scheme, Mode::local).score == known.local);
        CHECK(align(known.text, known.query, known.scheme, Mode::global).score == known.global);
    }
}

TEST_CASE("an end point is where the best score is reached", "[alignment]") {
    CHECK(align("ACGTACGTACGTACGTACGT", "ACGTACGTAACGTACGTACGT", "dna", Mode::local) == EndPoint{15, 20, 21});
    CHECK(align("CCCCACGTACGTCCCC", "GGGGACGTACGTGGGG", "dna", Mode::local) == EndPoint{8, 12, 12});
    CHECK(align("TAGCTACT", "TAGCTATA", "dna:2,-1,5,5", Mode::local) == EndPoint{12, 6, 6});
    CHECK(align("AAAA", "CCCC", "dna", Mode::local) == EndPoint{0, 0, 0});
    CHECK(align("ACG", "ACGTT", "dna", Mode::global) == EndPoint{3 - 7, 3, 5});
}

TEST_CASE("sequences whose score might not fit are refused", "[alignment]") {
    CHECK_FALSE(too_long(Scheme::dna(), 47'000'000, 33'000'000));
    CHECK(too_long(Scheme::dna(1000), 2'000'000, 2'000'000) ==
          "sequences of 2000000 and 2000000 letters are too long: their score may not fit 32 bits");
}
