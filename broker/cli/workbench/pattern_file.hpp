// The file of patterns of `sluice search`: one on each line, bytes as they are; of FASTA, the records' sequences. Pure
// function; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/tools/search/substrings.hpp"

namespace sluice::cli {

struct PatternFile {
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

    std::vector<std::string_view> lines;        // of the bytes that were parsed, or of `sequences`
    std::vector<substrings::Pattern> distinct;  // in the order of their first lines
    std::vector<std::uint32_t> first_line;      // [distinct pattern]: the index of a line
    std::vector<std::uint32_t> next_line;       // [line]: that of the next line with the same pattern, or `none`
    std::vector<std::string> sequences;         // of FASTA
    std::string error;                          // empty: none
    std::size_t error_line = 0;                 // from 1; 0: of the file

    bool has_duplicates() const { return distinct.size() < lines.size(); }
};

// A byte order mark at the beginning, or a carriage return at the end of a line, does not belong to a pattern.
PatternFile parse_patterns(std::string_view bytes);
// A pattern for each record.
PatternFile parse_fasta_patterns(std::string_view bytes);

}  // namespace sluice::cli
