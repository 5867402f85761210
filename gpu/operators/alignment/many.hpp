// Many alignments at once on one core of the CPU: queries that share a text fill the lanes of vector registers, one
// query per lane (Rognes, BMC Bioinformatics 12, 2011, but without his query profiles: a lane looks its score up in a
// register). Lanes have 8 bits at first; scores that exceed them are computed again with 16, then 32. Pure functions;
// any thread.
#pragma once

#include <cstdint>
#include <span>

#include "gpu/operators/alignment/scheme/instruction_set.hpp"
#include "gpu/operators/alignment/scheme/scheme.hpp"
#include "gpu/operators/alignment/scheme/sequences.hpp"

namespace sluice::alignment {

// scores[k] = the score of pairs[k], as reference_align() defines it. Fastest if many pairs share a text; the order of
// the pairs does not matter. Precondition: no pair is too_long().
void align_many(const Scheme& scheme, Mode mode, const SequenceSet& queries, const SequenceSet& texts,
                std::span<const Pair> pairs, std::span<std::int32_t> scores,
                InstructionSet set = best_instruction_set());

// hits[k] = 1 if the score of pairs[k] is at least thresholds[k], else 0. Computes no more than that takes: nothing if
// the lengths alone decide the pair, otherwise until every lane is decided.
void align_reaches(const Scheme& scheme, Mode mode, const SequenceSet& queries, const SequenceSet& texts,
                   std::span<const Pair> pairs, std::span<const std::int32_t> thresholds, std::span<std::uint8_t> hits,
                   InstructionSet set = best_instruction_set());

}  // namespace sluice::alignment
