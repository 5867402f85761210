#include "gpu/operators/alignment/scheme/reference.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

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
        CHECK(is_known_end(known, align(known.query, known.text, known.scheme, Mode::local)));
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

namespace {

using Cells = std::vector<std::vector<int>>;

// Cell (i, j): the score of the first i letters of the rows' sequence and j of the columns'. For local alignments it is
// the largest cell so far, since the interface does not return single cells.
Cells prefix_scores(const std::string& rows, const std::string& columns, const std::string& scheme, Mode mode) {
    Cells cells(rows.size() + 1, std::vector<int>(columns.size() + 1));
    for (std::size_t i = 0; i <= rows.size(); ++i) {
        for (std::size_t j = 0; j <= columns.size(); ++j)
            cells[i][j] = align(rows.substr(0, i), columns.substr(0, j), scheme, mode).score;
    }
    return cells;
}

Cells largest_so_far(Cells cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
        for (std::size_t j = 0; j < cells[i].size(); ++j) {
            if (i > 0) cells[i][j] = std::max(cells[i][j], cells[i - 1][j]);
            if (j > 0) cells[i][j] = std::max(cells[i][j], cells[i][j - 1]);
        }
    }
    return cells;
}

}  // namespace

TEST_CASE("the matrices of the MASA-OpenCL thesis, cell by cell", "[alignment]") {
    const Cells global = {{0, -5, -10, -15, -20, -25, -30, -35, -40}, {-5, 2, -3, -8, -13, -18, -23, -28, -33},
                          {-10, -3, 4, -1, -6, -11, -16, -21, -26},   {-15, -8, -1, 6, 1, -4, -9, -14, -19},
                          {-20, -13, -6, 1, 8, 3, -2, -7, -12},       {-25, -18, -11, -4, 3, 10, 5, 0, -5},
                          {-30, -23, -16, -9, -2, 5, 12, 7, 2},       {-35, -28, -21, -14, -7, 0, 7, 11, 9},
                          {-40, -33, -26, -19, -12, -5, 2, 6, 10}};
    CHECK(prefix_scores("TAGCTATA", "TAGCTACT", "dna:2,-1,5,5", Mode::global) == global);
    const Cells local = {{0, 0, 0, 0, 0, 0, 0, 0, 0},  {0, 2, 0, 0, 0, 2, 0, 0, 2},  {0, 0, 4, 0, 0, 0, 4, 0, 0},
                         {0, 0, 0, 6, 1, 0, 0, 3, 0},  {0, 0, 0, 1, 8, 3, 0, 2, 2},  {0, 2, 0, 0, 3, 10, 5, 0, 4},
                         {0, 0, 4, 0, 0, 5, 12, 7, 2}, {0, 2, 0, 3, 0, 2, 7, 11, 9}, {0, 0, 4, 0, 2, 0, 4, 6, 10}};
    CHECK(prefix_scores("TAGCTATA", "TAGCTACT", "dna:2,-1,5,5", Mode::local) == largest_so_far(local));
}

TEST_CASE("of several ends with the best score, any is right", "[alignment]") {
    const auto end = align("GATTACAGATTACAGATTACA", "GATTACAGATTACATTTTTTTTTTTTGATTACA", "dna", Mode::local);
    CHECK((end == EndPoint{14, 14, 14} || end == EndPoint{14, 21, 14}));
    CHECK(align("ACGT", "ACGT", "dna", Mode::local) == EndPoint{4, 4, 4});
    CHECK(align("ACGTTGCAACGGTCATTGCA", "ACGTTGCAACTCATTGCA", "dna", Mode::local) == EndPoint{11, 20, 18});
    CHECK(align("GGATCCTTAGGCATTCGAAC", "GGATCCTTGGCATTCGAAC", "dna", Mode::local) == EndPoint{14, 20, 19});
}
