// Aligns one long pair of DNA on the cores of a CPU. The matrix is divided into tiles. A thread takes one strip of them
// at a time, and each strip follows the one above. Tiles that no best alignment can pass are left out (block pruning,
// as in wavefront_aligner.hpp). Takes 8 bytes of memory per letter of the text. Pure functions; any thread.
//
// `progress` (progress.hpp) is called on the calling thread, which is one of the `threads`, and must not throw. Fewer
// threads take part if no more can be started or there is too little to do. Preconditions: a scheme of DNA, and
// sequences that are neither empty nor too_long().
#pragma once

#include "gpu/operators/alignment/rows.hpp"

namespace sluice::alignment {

struct TilesResult {
    EndPoint end;
    double pruned_share = 0;  // of all cells
    unsigned threads = 1;     // that took part
};

// As reference_align(). Global alignments are not pruned.
TilesResult align_tiles(const Scheme& scheme, Mode mode, Codes query, Codes text, bool prune = true,
                        unsigned threads = 1, const Progress& progress = {},
                        InstructionSet set = best_instruction_set());

// As align_from_start(), for a known score.
EndPoint tiles_from_start(const Scheme& scheme, Codes query, Codes text, std::int32_t score, unsigned threads = 1,
                          const Progress& progress = {}, InstructionSet set = best_instruction_set());

// As last_row(), for a query that continues for `rows_below` letters and as a whole scores `total` (or more, by the
// cost of opening a gap, if gaps continue at its ends). Cells on no such alignment may have any value from which
// `total` can't be reached: less than total - gap_first - scheme.score_bound(rows_below, n - j).
void last_row_of_tiles(const Scheme& scheme, int left_first, Codes query, std::size_t rows_below, Codes text,
                       std::int32_t total, std::span<std::int32_t> h, std::span<std::int32_t> f, unsigned threads = 1,
                       const Progress& progress = {}, InstructionSet set = best_instruction_set());

}  // namespace sluice::alignment
