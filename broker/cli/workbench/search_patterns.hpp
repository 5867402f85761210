// The patterns of `sluice search` as they are searched for: each distinct text once, with its uses. Pure functions; any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "broker/cli/workbench/pattern_file.hpp"
#include "gpu/tools/search/substrings.hpp"

namespace sluice::cli {

// A use is a pattern of the file on a strand. Use u is that of pattern u % size(), on the reverse strand from size()
// on.
struct SearchPatterns {
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

    PatternFile file;  // the patterns as they are printed; and an error
    bool has_strands = false;
    std::vector<std::string> written;           // the texts of all uses, where they differ from the file's
    std::vector<substrings::Pattern> distinct;  // in the order of their first uses
    std::vector<std::uint32_t> first_use;       // [distinct pattern]
    std::vector<std::uint32_t> next_use;        // [use]: the next use of the same text, or `none`
    std::size_t uses = 0;

    std::uint32_t size() const { return static_cast<std::uint32_t>(file.patterns.size()); }
    bool has_duplicates() const { return distinct.size() < uses; }
};

// `ignore_case`: texts have a to z in the place of A to Z, and so must what is searched. `both_strands`: also the
// reverse complements. A pattern that is its own is used once, on the forward strand; one that is not DNA is an error.
SearchPatterns search_patterns(PatternFile file, bool ignore_case, bool both_strands);

}  // namespace sluice::cli
