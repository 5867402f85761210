// Aligns one pair of sequences on one core of the CPU: score and end point. Pure function; any thread.
#pragma once

#include "gpu/operators/alignment/scheme/instruction_set.hpp"
#include "gpu/operators/alignment/scheme/progress.hpp"
#include "gpu/operators/alignment/scheme/reference.hpp"

namespace sluice::alignment {

// As reference_align(): striped, in tiles or by rows, whichever is fastest.
EndPoint align_on_core(const Scheme& scheme, Mode mode, Codes query, Codes text, const Progress& progress = {},
                       InstructionSet set = best_instruction_set());

}  // namespace sluice::alignment
