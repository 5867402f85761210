// Many alignments at once on one core of the CPU: the queries of a text fill the lanes of vector registers, one query a
// lane (Rognes, BMC Bioinformatics 12, 2011, without his query profiles: a lane looks its score up in a register).
// Lanes of 8 bits first; what exceeds them is done again with 16, then 32. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <span>

#include "gpu/operators/alignment/scheme.hpp"
#include "gpu/operators/alignment/sequences.hpp"

namespace sluice::alignment {

enum class InstructionSet { portable, avx2, avx512 };
InstructionSet best_instruction_set();

// scores[k] = the score of pairs[k], as reference_align() defines it. Fastest if many pairs share a text; the order of
// the pairs does not matter. Precondition: no pair is too_long().
void align_many(const Scheme& scheme, Mode mode, const SequenceSet& queries, const SequenceSet& texts,
                std::span<const Pair> pairs, std::span<std::int32_t> scores,
                InstructionSet set = best_instruction_set());

// hits[k] = 1 if the score of pairs[k] is at least thresholds[k], else 0. Computes no more than that takes: nothing
// where no score of such lengths is enough or no score is too small, and otherwise until every lane is decided.
void align_reaches(const Scheme& scheme, Mode mode, const SequenceSet& queries, const SequenceSet& texts,
                   std::span<const Pair> pairs, std::span<const std::int32_t> thresholds, std::span<std::uint8_t> hits,
                   InstructionSet set = best_instruction_set());

}  // namespace sluice::alignment
