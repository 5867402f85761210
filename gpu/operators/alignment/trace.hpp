// Finds the alignment itself by the divide and conquer of Myers and Miller (CABIOS 4, 1988). Memory is linear in the
// lengths; time is about twice that of a score. For long pairs of DNA, cells that cannot be on an alignment of that
// score are left out, and `threads` share the rest. Pure functions, callable from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/operators/alignment/rows.hpp"

namespace sluice::alignment {

// A run of equal columns of an alignment, as one of SAM's operations: '=' match, 'X' mismatch, 'I' query letters that
// the text lacks, 'D' text letters that the query lacks.
struct AlignedRun {
    char operation;
    std::uint32_t length;

    bool operator==(const AlignedRun&) const = default;
};

struct Alignment {
    std::int32_t score = 0;
    std::uint32_t query_begin = 0, query_end = 0, text_begin = 0, text_end = 0;
    std::vector<AlignedRun> runs;

    std::string cigar() const;  // "12=1X3D"
    std::uint64_t columns(char operation) const;
};

// Returns an alignment with the best score. A local one ends at `end`, found by align_rows() or a device. Score 0:
// empty.
Alignment trace(const Scheme& scheme, Mode mode, Codes query, Codes text, const EndPoint& end, unsigned threads = 1,
                const Progress& progress = {});

}  // namespace sluice::alignment
