// Aligns one pair in memory linear in the text, a strip of rows at a time: the parts from which trace() assembles an
// alignment. Each function works on one core, by default with its best instruction set.
//
// Rows are not the one-thread case of tiles.hpp. They also take proteins, and they suit short sequences, whereas a tile
// costs the same however few of its rows are used. For DNA, tiles on one thread took this many times as long as rows
// (AVX2 and AVX-512 of an AMD EPYC, local and global; bench_alignment_cpu times both): 3.2 to 15 for 20 x 20 letters,
// 1.3 to 2.4 for 100 x 100, 0.7 to 1.2 for 1,000 x 1,000, 0.5 to 0.7 for 20,000 x 20,000.
#pragma once

#include <cstdint>
#include <span>

#include "gpu/operators/alignment/scheme/instruction_set.hpp"
#include "gpu/operators/alignment/scheme/progress.hpp"
#include "gpu/operators/alignment/scheme/reference.hpp"
#include "gpu/operators/alignment/scheme/scheme.hpp"

namespace sluice::alignment {

// As reference_align().
EndPoint align_rows(const Scheme& scheme, Mode mode, Codes query, Codes text, const Progress& progress = {},
                    InstructionSet set = best_instruction_set());

// The best score of an alignment that starts with the first letters of both (global) but may end anywhere, and its end.
EndPoint align_from_start(const Scheme& scheme, Codes query, Codes text, const Progress& progress = {},
                          InstructionSet set = best_instruction_set());

// The last row of the global matrix, n + 1 values: h[j] = H[m][j], f[j] = F[m][j] or, if that is less than H[m][j]
// minus the cost of opening a gap, any value up to that difference. A gap along the left border costs `left_first` for
// its first letter.
void last_row(const Scheme& scheme, int left_first, Codes query, Codes text, std::span<std::int32_t> h,
              std::span<std::int32_t> f, const Progress& progress = {}, InstructionSet set = best_instruction_set());

}  // namespace sluice::alignment
