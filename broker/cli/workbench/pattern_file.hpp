// A file of patterns, as search and distance read it: one on each line, or of FASTA the records' sequences. Pure
// functions; any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/cli/common/console.hpp"

namespace sluice::cli {

struct PatternFile {
    std::unique_ptr<const std::string> bytes;  // of the file; of FASTA, a line for each record
    std::vector<std::string_view> patterns;    // in `bytes`, not empty
    bool is_fasta = false;
    std::string error;           // empty: none
    std::size_t error_line = 0;  // from 1; 0: of the file

    // Sets the error to that of a pattern, by its line or, of FASTA, its record.
    void fail(std::size_t pattern, std::string why);
};

struct PatternLimits {
    std::size_t bytes_max, patterns_max;
    std::function<std::string(std::string_view)> fault;  // why a pattern is not valid, or ""
};

// A byte order mark at the beginning, or a carriage return at the end of a line, does not belong to a pattern.
PatternFile parse_patterns(std::string bytes, bool is_fasta, const PatternLimits& limits);

// Gzip is decompressed. FASTA is recognised by its name, unless `plain`. Errors are written to the console.
std::optional<PatternFile> read_pattern_file(const std::string& path, bool plain, const PatternLimits& limits,
                                             const Console& console);

}  // namespace sluice::cli
