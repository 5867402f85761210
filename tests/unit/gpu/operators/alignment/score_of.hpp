// The score of an alignment, computed letter by letter.
#pragma once

#include <cstdint>

#include "gpu/operators/alignment/trace.hpp"

namespace sluice::alignment {

inline std::int64_t score_of(const Scheme& scheme, const Alignment& alignment, Codes query, Codes text) {
    std::int64_t score = 0;
    std::size_t i = alignment.query_begin, j = alignment.text_begin;
    for (const auto& run : alignment.runs) {
        if (run.operation == 'I') {
            score -= scheme.gap_cost(run.length);
            i += run.length;
        } else if (run.operation == 'D') {
            score -= scheme.gap_cost(run.length);
            j += run.length;
        } else {
            for (std::uint32_t k = 0; k < run.length; ++k) score += scheme.scores[query[i++]][text[j++]];
        }
    }
    return score;
}

}  // namespace sluice::alignment
