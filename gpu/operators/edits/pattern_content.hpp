// The contents of a PatternSet: built by pattern_content.cpp, used by edits_cpu.cpp. Immutable; usable from any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gpu/operators/edits/alphabet.hpp"
#include "gpu/operators/edits/edits.hpp"
#include "gpu/operators/edits/myers_groups.hpp"
#include "gpu/operators/edits/piece_filter.hpp"

namespace sluice::edits {

// If fewer lanes of a group are needed, they are matched one by one.
inline constexpr std::size_t group_lanes_min = 3;

struct PatternSet::Content {
    Extent extent;
    Costs costs;
    std::vector<std::u32string> patterns;
    std::vector<std::uint32_t> k;
    std::vector<std::uint32_t> rank;  // [pattern]: its position in the order of matching; 0 if it is empty

    // Unit costs only. Groups from first_filtered on hold the patterns that the filter finds.
    Alphabet alphabet;
    MyersGroups groups;
    std::size_t first_filtered = 0;
    std::vector<MyersGroups::Place> places;  // [pattern]; unset for empty patterns
    std::vector<std::uint32_t> group_k;      // k of the lanes of all groups
    std::vector<std::size_t> group_k_begin;  // [group]
    PieceFilter filter;
    double filter_ns = 0;  // its expected cost per character of a text

    Content(std::span<const Pattern> given, Extent extent_of_all, const Costs& costs_of_all, InstructionSet set);

    void build_groups(std::span<const Pattern> given);
    void sample_filter(std::span<const Pattern> given, std::span<const std::uint32_t> filtered);
    // The cost per character of a text of matching patterns without the filter; `order` is by group.
    double direct_ns(std::span<const Pair> pairs, std::span<const std::uint32_t> order) const;
    // Calls found(pattern) for each wanted pattern that is within its k.
    template <class Wanted, class Found>
    void find_filtered(const ClassifiedText& text, MyersGroups::Workspace&, Counters&, Wanted wanted,
                       Found found) const;

    struct PairWorkspace {
        ClassifiedText text;
        MyersGroups::Workspace groups;
        std::vector<std::uint32_t> asked;  // [pattern]: 1 + its index in the order of a text's pairs, 0 if absent
    };
    // Calls each(pair, distance) for pairs of one text; with `decide`, distances are only as accurate as that needs.
    template <class Each>
    void match_pairs(std::string_view text, std::span<const Pair> pairs, std::span<const std::uint32_t> order,
                     bool decide, PairWorkspace& workspace, Counters& counters, Each each) const;
    // The same for the last pairs of an order, all of patterns that the filter finds.
    template <class Each>
    void decide_filtered(std::span<const Pair> pairs, std::span<const std::uint32_t> order, PairWorkspace& workspace,
                         Counters& counters, Each each) const;
    template <class Each>
    void match_sparse(std::span<const std::string_view> texts, std::span<const Pair> pairs, bool decide,
                      Counters& counters, Each each) const;
    // Whether the lengths alone allow a text of n characters to be within k of the pattern. Unit costs.
    bool possible(std::uint32_t pattern, std::size_t n) const {
        const std::size_t m = patterns[pattern].size();
        return m <= n + k[pattern] && (extent == Extent::substring || n <= m + k[pattern]);
    }
    std::uint32_t distance_of_empty(std::size_t text_characters) const {
        return extent == Extent::whole ? static_cast<std::uint32_t>(text_characters) * costs.insertion() : 0;
    }
};

}  // namespace sluice::edits
