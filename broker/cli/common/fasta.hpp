// FASTA files that are kept whole (protocol/text/fasta.hpp reads them), and their names. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::cli {

struct FastaRecord {
    std::string name;      // up to the first blank or tab
    std::string sequence;  // letters, '*', '-' and '.', without line breaks and blanks
};

struct EmptyFastaRecord {
    std::string name;
    std::size_t line;  // of its header
};

struct FastaFile {
    std::vector<FastaRecord> records;
    std::vector<EmptyFastaRecord> empty_records;  // without letters, and thus not among the records
    std::string error;                            // empty: none
    std::size_t error_line = 0;
};

// A file in which no record has letters is an error, since there is nothing to align.
FastaFile parse_fasta(std::string_view text);

// Whether the name ends in .fasta, .fa, .fas, .fna, .faa, .ffn or .frn, in any case.
bool has_fasta_name(std::string_view path);

}  // namespace sluice::cli
