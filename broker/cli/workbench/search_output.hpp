// What `sluice search` prints: occurrences, counts of patterns, or a summary of a file, as text or JSON. Keeps bytes of
// patterns and file names from commanding a terminal. Belongs to one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "broker/cli/common/joined_fasta.hpp"
#include "broker/cli/workbench/operator_options.hpp"
#include "broker/cli/workbench/search_patterns.hpp"
#include "gpu/tools/search/occurrences.hpp"

namespace sluice::cli {

struct SearchSummary {
    std::uint64_t bytes = 0, occurrences = 0;
    std::optional<std::uint64_t> records;  // of FASTA; `bytes` are letters then
    double seconds = 0, kernel_seconds = 0;
};

// Where a part of a file is.
struct SearchedPiece {
    const std::string& file;
    std::uint64_t offset;      // of position 0 in the file, or in the joined sequences
    const JoinedFasta* fasta;  // null: the file is not FASTA
};

class SearchPrinter {
public:
    SearchPrinter(const SearchOptions& options, const SearchPatterns& patterns, const Console& console);

    // Prints the occurrences in a part of a file, which ascend by position, each once for each of its uses. In FASTA,
    // an offset is that in the record's sequence, and the record's name stands before it. If both strands are searched,
    // the strand stands behind the offset, which is that of the forward strand. Returns false if `is_stopped` or the
    // output failed.
    bool print_occurrences(const SearchedPiece& piece, std::span<const substrings::Occurrence> occurrences,
                           bool (*is_stopped)());

    // `counts`: [distinct pattern]. A pattern's is that of both strands.
    void print_counts(const std::vector<std::uint64_t>& counts);

    void print_summary(const std::string& file, const SearchSummary& summary,
                       const substrings::OccurrenceSearch& search);

private:
    void print_line(std::string& lines, const std::string& prefix, std::uint64_t offset, std::uint32_t use);
    std::string file_prefix(const std::string& file) const;
    std::string record_prefix(const std::string& of_file, const JoinedFasta::Record& record) const;
    const std::string& shown(std::uint32_t pattern);
    bool write(std::string& lines);

    const SearchOptions& options_;
    const SearchPatterns& patterns_;
    Console console_;
    std::vector<std::string> shown_;      // [pattern]: as it is printed; empty: not printed yet
    std::vector<std::uint32_t> matches_;  // uses at one position
};

}  // namespace sluice::cli
