// Sequences as FASTA files have them: a line that starts with '>' and names a sequence, then lines of its letters. Pure
// functions; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::cli {

struct FastaRecord {
    std::string name;      // up to the first white space
    std::string sequence;  // letters and '*', without line breaks
};

struct FastaFile {
    std::vector<FastaRecord> records;
    std::string error;  // empty: none
    std::size_t error_line = 0;
};

// Lines may end in \r\n; blank lines and lines that start with ';' (comments of old) are skipped.
FastaFile parse_fasta(std::string_view text);

}  // namespace sluice::cli
