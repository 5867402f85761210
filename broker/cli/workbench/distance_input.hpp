// The patterns and the costs of sluice distance, read from their files. Errors are written to the console.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/cli/common/console.hpp"
#include "broker/cli/workbench/pattern_file.hpp"
#include "gpu/operators/edits/costs.hpp"

namespace sluice::cli {

struct DistancePatterns {
    PatternFile file;                           // the patterns as they are printed
    std::unique_ptr<const std::string> folded;  // the file's bytes in lower case, if case is ignored
    std::vector<std::string_view> patterns;     // as they are compared
    std::vector<std::size_t> lengths;           // in characters

    std::size_t longest() const;
    std::uint64_t characters() const;
};

// `plain`: FASTA is read as other files are. `ignore_case`: of a to z; texts must be in lower case, too.
std::optional<DistancePatterns> read_patterns(const std::string& path, bool plain, bool ignore_case,
                                              const Console& console);

// "unit", "typing", "vowels" or the name of a file, which may be gzip.
std::optional<edits::Costs> read_costs(const std::string& name, const Console& console);

}  // namespace sluice::cli
