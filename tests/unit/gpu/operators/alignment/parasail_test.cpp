// The definition against parasail. Debian's *_diag_* functions are wrong and not used. Its striped functions are used
// only if the first gap letter costs more than each further one; otherwise they stop extending gaps too early.
#include <catch2/catch.hpp>
#include <parasail.h>
#include <parasail/matrices/blosum50.h>
#include <parasail/matrices/blosum62.h>
#include <string>

#include "gpu/operators/alignment/scheme/reference.hpp"
#include "tests/support/sequence_letters.hpp"
#include "tests/unit/gpu/operators/alignment/random_sequences.hpp"

using namespace sluice::alignment;

namespace {

int score(parasail_function_t* function, const std::string& query, const std::string& text, const Scheme& scheme,
          const parasail_matrix_t* matrix) {
    parasail_result_t* result = function(query.c_str(), static_cast<int>(query.size()), text.c_str(),
                                         static_cast<int>(text.size()), scheme.gap_first, scheme.gap_further, matrix);
    const int found = result->score;
    parasail_result_free(result);
    return found;
}

void check_pairs(Random& random, const Scheme& scheme, const parasail_matrix_t* matrix) {
    for (std::size_t round = 0; round < test_rounds(60); ++round) {
        auto text = random_sequence(random, scheme, 1 + random_length(random, 250));
        auto query = below(random, 2) == 0 ? random_sequence(random, scheme, 1 + random_length(random, 250))
                                           : mutated(random, scheme, text, 12);
        if (query.empty()) continue;
        const std::string q = letters_of(scheme, query), t = letters_of(scheme, text);
        INFO(q << " x " << t);
        const int local = reference_align(scheme, Mode::local, query, text).score;
        const int global = reference_align(scheme, Mode::global, query, text).score;
        CHECK(score(parasail_sw_scan_32, q, t, scheme, matrix) == local);
        CHECK(score(parasail_nw_scan_32, q, t, scheme, matrix) == global);
        if (scheme.gap_first == scheme.gap_further) continue;
        CHECK(score(parasail_sw_striped_32, q, t, scheme, matrix) == local);
        CHECK(score(parasail_nw_striped_32, q, t, scheme, matrix) == global);
    }
}

}  // namespace

TEST_CASE("parasail gives the same scores for random proteins and nucleotides", "[alignment]") {
    Random random(7);
    check_pairs(random, Scheme::blosum62(), &parasail_blosum62);
    check_pairs(random, Scheme::blosum50(10, 3), &parasail_blosum50);
    for (const Scheme& scheme : {Scheme::dna(), Scheme::dna(2, -3, 5, 2), Scheme::dna(1, -1, 2, 2)}) {
        // Letters other than ACGT use the last row and column, which are set to mismatches.
        parasail_matrix_t* matrix = parasail_matrix_create("ACGT", scheme.highest, scheme.lowest);
        for (int other = 0; other < matrix->size; ++other) {
            parasail_matrix_set_value(matrix, matrix->size - 1, other, scheme.lowest);
            parasail_matrix_set_value(matrix, other, matrix->size - 1, scheme.lowest);
        }
        check_pairs(random, scheme, matrix);
        parasail_matrix_free(matrix);
    }
}
