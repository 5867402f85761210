// One local alignment at a time on one core, with the query striped over the lanes of vector registers: the fastest way
// for few pairs (striped_loops.hpp says how). Lanes of 8 bits first; where a score might not fit, wider ones go on from
// that column. Memory linear in the query. Belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "gpu/operators/alignment/lane_kernel.hpp"
#include "gpu/operators/alignment/many.hpp"
#include "gpu/operators/alignment/reference.hpp"
#include "gpu/operators/alignment/rows.hpp"
#include "gpu/operators/alignment/scratch.hpp"

namespace sluice::alignment {

class StripedAligner {
public:
    // Both are used as long as this is.
    StripedAligner(const Scheme& scheme, ScoreTables& tables, InstructionSet set);

    static bool has(InstructionSet set) { return set != InstructionSet::portable; }
    // What is written for each of a text's letters, while lanes have 16 bits.
    static std::size_t column_bytes(const Scheme& scheme, std::size_t query_length);

    // The score if it is below `threshold`, which is above 0; else any that reaches it.
    std::int32_t score(Codes query, Codes text, std::int32_t threshold);
    // As reference_align(). `progress` as rows.hpp says. With `bytes_only`, none if a score might not fit 8 bits.
    std::optional<EndPoint> align(Codes query, Codes text, bool bytes_only, const Progress& progress);

private:
    StripedTask task(Codes query, Codes text, std::int32_t threshold);
    bool run(StripedTask& task, bool bytes_only, const Progress& progress);

    const Scheme& scheme_;
    ScoreTables& tables_;
    LaneKernels kernels_, narrow_kernels_;
    Scratch columns_, state_;
};

}  // namespace sluice::alignment
