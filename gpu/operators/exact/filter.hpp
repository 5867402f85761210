// The search of the CPU for production: a filter lets a few places of a text through, at which patterns are then
// compared (after Karp and Rabin 1987; asking only every second or fourth place after Wu and Manber 1994; byte tables
// after Hyperscan's Teddy). Patterns of different length go into groups with filters of their own where that pays.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "gpu/operators/exact/exact.hpp"
#include "gpu/operators/exact/group_filter.hpp"

namespace sluice::exact {

// The filters of some patterns, whose texts are the caller's: the same ones in each call. Immutable; any thread.
class PatternFilter {
public:
    PatternFilter() = default;
    // `patterns`: indices of texts, none of them empty, of any length. `sample`: texts like those that will be
    // searched, by which the filters are chosen; the more the better up to about 64 KiB. The patterns themselves always
    // count as texts. Takes about a microsecond a pattern, and up to some milliseconds.
    PatternFilter(const PatternTexts& texts, std::span<const std::uint32_t> patterns,
                  std::span<const std::string_view> sample = {},
                  const FilterKernels& kernels = filter_kernels().back());

    // Tells the sink of the patterns that occur in the text, of each pattern from its first place to its last:
    //   bool found(pattern, begin): whether it need not be told that the pattern occurs there;
    //   bool add(pattern, begin): that it does; whether it need not be told of the pattern again;
    //   Counters counters: filter_hits and verified are added to.
    template <class Sink>
    void search(const PatternTexts& texts, std::string_view text, Sink& sink) const {
        for (const GroupFilter& group : groups_) group.search(texts, text, sink);
    }

    std::size_t bytes() const;

private:
    std::vector<GroupFilter> groups_;
};

// `sample`: as above.
std::unique_ptr<Searcher> make_filter_searcher(std::span<const Pattern> patterns,
                                               std::span<const std::string_view> sample = {},
                                               const FilterKernels& kernels = filter_kernels().back());

}  // namespace sluice::exact
