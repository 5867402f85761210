// One long local pair of DNA on the cores of a CPU: the matrix in tiles, a strip of them a thread at a time, each
// strip behind the one above. Tiles that can't hold the best score are left out (block pruning, as device_long.hpp
// does). Memory is 8 bytes a letter of the text. Pure functions; any thread.
#pragma once

#include "gpu/operators/alignment/rows.hpp"

namespace sluice::alignment {

struct TilesResult {
    EndPoint end;
    double pruned_share = 0;  // of all cells
    unsigned threads = 1;     // that took part
};

// As reference_align() in local mode. `progress` is called on the calling thread, which is one of the `threads`; fewer
// are used if no more can be had or there are fewer strips. Precondition: a scheme of DNA, lengths not too_long().
TilesResult align_tiles(const Scheme& scheme, Codes query, Codes text, bool prune = true, unsigned threads = 1,
                        const Progress& progress = {}, InstructionSet set = best_instruction_set());

}  // namespace sluice::alignment
