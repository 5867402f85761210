// Aligns one local pair at a time on one core, with the query striped over the lanes of vector registers: the fastest
// method for few pairs (see striped_loops.hpp). It starts with 8-bit lanes; where a score might not fit, wider lanes
// continue from that column. Memory is linear in the query. Owned by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "gpu/operators/alignment/lanes/lane_kernel.hpp"
#include "gpu/operators/alignment/scheme/progress.hpp"
#include "gpu/operators/alignment/scheme/reference.hpp"
#include "gpu/operators/alignment/scratch.hpp"

namespace sluice::alignment {

class StripedAligner {
public:
    // `scheme` and `tables` must outlive this object.
    StripedAligner(const Scheme& scheme, ScoreTables& tables, InstructionSet set);

    static bool has(InstructionSet set) { return set != InstructionSet::portable; }
    // Bytes touched for each letter of a text while lanes have 16 bits.
    static std::size_t column_bytes(const Scheme& scheme, std::size_t query_length);

    // Returns the score if it is below `threshold`, which must be above 0; else any value that reaches `threshold`.
    std::int32_t score(Codes query, Codes text, std::int32_t threshold);
    // Like reference_align(), with `progress` as in progress.hpp. Empty if `bytes_only` and a score might not fit 8
    // bits.
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
