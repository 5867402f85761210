// The patterns and the costs of sluice distance, read from their files. Errors are written to the console.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/cli/common/console.hpp"
#include "gpu/operators/edits/costs.hpp"

namespace sluice::cli {

struct DistancePatterns {
    std::unique_ptr<const std::string> bytes;  // of the file; the patterns are in it
    std::vector<std::string_view> patterns;
    std::vector<std::size_t> lengths;  // in characters

    std::size_t longest() const;
    std::uint64_t characters() const;
};

// A pattern per line, or of FASTA per record, each valid.
std::optional<DistancePatterns> read_patterns(const std::string& path, bool is_fasta, const Console& console);

// "unit", "typing", "vowels" or the name of a file.
std::optional<edits::Costs> read_costs(const std::string& name, const Console& console);

// "FILE:LINE: TEXT", as the console's error.
void report_line(const std::string& path, std::size_t line, const std::string& text, const Console& console);

}  // namespace sluice::cli
