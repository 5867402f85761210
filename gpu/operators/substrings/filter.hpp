// The CPU's production search. A filter lets a few places of a text through, at which patterns are then compared (after
// Karp and Rabin 1987; testing only every second or fourth place after Wu and Manber 1994; byte tables after
// Hyperscan's Teddy). Patterns of different lengths go into groups with separate filters if that is faster.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "gpu/operators/substrings/group_filter.hpp"
#include "gpu/operators/substrings/pattern_texts.hpp"

namespace sluice::substrings {

// The filters of some patterns. The caller owns the patterns' texts and must pass the same ones in each call.
// Immutable; usable from any thread.
class PatternFilter {
public:
    PatternFilter() = default;
    // `patterns`: indices into `texts` of non-empty patterns of any length. `sample`: texts like those to be searched,
    // used to choose the filters; more is better, up to about 64 KiB. The patterns themselves always serve as a sample,
    // too. Takes about a microsecond per pattern, and up to some milliseconds.
    PatternFilter(const PatternTexts& texts, std::span<const std::uint32_t> patterns,
                  std::span<const std::string_view> sample = {},
                  const FilterKernels& kernels = filter_kernels(simd::best_instruction_set()));

    //  Reports the patterns that occur in the text to the sink, each pattern from its first place to its last:
    //    bool found(pattern, begin): returns whether an occurrence of the pattern there need not be reported;
    //    bool add(pattern, begin): reports an occurrence; returns whether the pattern need not be reported again;
    //    Counters counters: filter_hits and verified are added to.
    template <class Sink>
    void search(const PatternTexts& texts, std::string_view text, Sink& sink) const {
        for (const GroupFilter& group : groups_) group.search(texts, text, sink);
    }

private:
    std::vector<GroupFilter> groups_;
};

}  // namespace sluice::substrings
