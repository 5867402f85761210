// Parses FASTA files: a line that starts with '>' names a sequence; its letters follow on further lines. Pure
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

// Lines may end in \r\n. Skips blank lines and lines that start with ';' (an old comment syntax).
FastaFile parse_fasta(std::string_view text);

}  // namespace sluice::cli
