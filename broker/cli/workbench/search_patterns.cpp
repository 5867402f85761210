#include "broker/cli/workbench/search_patterns.hpp"

#include <unordered_map>
#include <utility>

#include "broker/cli/workbench/strands.hpp"
#include "protocol/text/ascii.hpp"
#include "protocol/text/terminal.hpp"

namespace sluice::cli {

namespace {

// Adds the reverse complements to what is written; "": that of a pattern that is its own.
void add_strands(SearchPatterns& patterns) {
    for (std::size_t i = 0; i < patterns.size(); ++i) {
        const std::string_view pattern = patterns.file.patterns[i];
        if (const std::size_t at = find_foreign_letter(pattern); at != std::string_view::npos)
            return patterns.file.fail(i, "letter " + std::to_string(at + 1) + ", '" +
                                             text::terminal_line(pattern.substr(at, 1)) +
                                             "', is not a nucleotide; --both-strands is for DNA, since proteins have "
                                             "no second strand");
        std::string strand = reverse_complement(patterns.written[i]);
        if (strand == patterns.written[i]) strand.clear();
        patterns.written.push_back(std::move(strand));
    }
}

void find_uses(SearchPatterns& patterns, const std::vector<std::string_view>& texts) {
    std::unordered_map<std::string_view, std::uint32_t> last_use;
    last_use.reserve(texts.size());
    patterns.next_use.assign(texts.size(), SearchPatterns::none);
    for (std::uint32_t use = 0; use < texts.size(); ++use) {
        if (texts[use].empty()) continue;
        ++patterns.uses;
        const auto [last, is_new] = last_use.emplace(texts[use], use);
        if (is_new) {
            patterns.distinct.push_back({texts[use]});
            patterns.first_use.push_back(use);
        } else {
            patterns.next_use[last->second] = use;
            last->second = use;
        }
    }
}

}  // namespace

SearchPatterns search_patterns(PatternFile file, bool ignore_case, bool both_strands) {
    SearchPatterns patterns;
    patterns.file = std::move(file);
    patterns.has_strands = both_strands;
    if (!ignore_case && !both_strands) {
        find_uses(patterns, patterns.file.patterns);
        return patterns;
    }
    for (const std::string_view pattern : patterns.file.patterns)
        patterns.written.push_back(ignore_case ? text::ascii_lower(pattern) : std::string(pattern));
    if (both_strands) add_strands(patterns);
    if (patterns.file.error.empty()) find_uses(patterns, {patterns.written.begin(), patterns.written.end()});
    return patterns;
}

}  // namespace sluice::cli
