// The alignment itself, by the divide and conquer of Myers and Miller (CABIOS 4, 1988): memory linear in the lengths,
// about twice the time of a score; what of long pairs of DNA can't be on an alignment of that score is left out, and
// `threads` share the rest. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/operators/alignment/rows.hpp"

namespace sluice::alignment {

// A run of columns of an alignment. Of SAM's operations: '=' match, 'X' mismatch, 'I' query letters that the text
// lacks, 'D' text letters that the query lacks.
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

// An alignment with the best score; local ones end at `end`, which align_rows() or a device found (score 0: empty).
Alignment trace(const Scheme& scheme, Mode mode, Codes query, Codes text, const EndPoint& end, unsigned threads = 1,
                const Progress& progress = {});

// What an alignment scores, letter by letter. For tests, and for those who distrust.
std::int64_t score_of(const Scheme& scheme, const Alignment& alignment, Codes query, Codes text);

}  // namespace sluice::alignment
