#include "gpu/tools/search/substrings.hpp"

namespace sluice::substrings {

namespace {

std::string too_many(const char* what, std::size_t size, std::size_t most) {
    return std::string(what) + " " + std::to_string(size) + " is more than the limit of " + std::to_string(most);
}

}  // namespace

std::string refusal(std::span<const Pattern> patterns) {
    if (patterns.size() > patterns_max) return too_many("the number of patterns,", patterns.size(), patterns_max);
    std::size_t bytes = 0;
    for (std::size_t p = 0; p < patterns.size(); ++p) {
        bytes += patterns[p].text.size();
        if (patterns[p].text.size() > pattern_bytes_max)
            return too_many(("the length in bytes of pattern " + std::to_string(p) + ",").c_str(),
                            patterns[p].text.size(), pattern_bytes_max);
    }
    if (bytes > all_patterns_bytes_max)
        return too_many("the length in bytes of all patterns,", bytes, all_patterns_bytes_max);
    return {};
}

}  // namespace sluice::substrings
