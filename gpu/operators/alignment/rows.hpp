// One pair in memory linear in the text, a strip of rows at a time: the parts from which trace() puts an alignment
// together. A function of these works on one core, with the best instruction set that it has unless told otherwise;
// `progress` is told of the cells done, and ends the work by returning false.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "gpu/operators/alignment/many.hpp"
#include "gpu/operators/alignment/reference.hpp"
#include "gpu/operators/alignment/scheme.hpp"

namespace sluice::alignment {

using Progress = std::function<bool(std::uint64_t cells)>;

// As reference_align().
EndPoint align_rows(const Scheme& scheme, Mode mode, Codes query, Codes text, const Progress& progress = {},
                    InstructionSet set = best_instruction_set());

// The best score of an alignment that starts with the first letters of both (global) but may end anywhere, and where.
EndPoint align_from_start(const Scheme& scheme, Codes query, Codes text, const Progress& progress = {},
                          InstructionSet set = best_instruction_set());

// The last row of the global matrix: h[j] = H[m][j], f[j] = F[m][j] or, where that is less than H[m][j] minus the cost
// of opening a gap, any value up to that. A gap along the left border costs `left_first` for its first letter. n + 1
// values.
void last_row(const Scheme& scheme, int left_first, Codes query, Codes text, std::span<std::int32_t> h,
              std::span<std::int32_t> f, const Progress& progress = {}, InstructionSet set = best_instruction_set());

}  // namespace sluice::alignment
