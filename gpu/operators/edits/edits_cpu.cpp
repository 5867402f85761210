#include <algorithm>
#include <stdexcept>

#include "gpu/operators/edits/characters.hpp"
#include "gpu/operators/edits/edits.hpp"
#include "gpu/operators/edits/pattern_content.hpp"
#include "gpu/operators/edits/weighted.hpp"

namespace sluice::edits {

template <class Wanted, class Found>
void PatternSet::Content::find_filtered(const ClassifiedText& text, MyersGroups::Workspace& workspace,
                                        Counters& counters, Wanted wanted, Found found) const {
    std::vector<PieceFilter::Candidate> candidates;
    filter.scan(text.utf8(), candidates);
    std::erase_if(candidates, [&](const auto& candidate) { return !wanted(candidate.pattern); });
    counters.filter_hits += candidates.size();
    if (candidates.empty()) return;
    std::vector<std::size_t> begins;  // [character]: its byte offset, if the text is not ASCII
    if (!text.ascii()) {
        for (std::size_t at = 0; at < text.utf8().size(); at += first_character(text.utf8().substr(at)).bytes)
            begins.push_back(at);
    }
    struct Window {
        std::uint32_t pattern;
        std::size_t begin, end;
    };
    std::vector<Window> windows;
    for (const auto& candidate : candidates) {
        std::size_t at = candidate.at;
        if (!text.ascii())
            at = static_cast<std::size_t>(std::ranges::lower_bound(begins, candidate.at) - begins.begin());
        const std::size_t edits = k[candidate.pattern], before = candidate.characters + edits;
        const std::size_t after = patterns[candidate.pattern].size() - candidate.characters + edits;
        windows.push_back({candidate.pattern, at - std::min(at, before), std::min(at + after, text.size())});
    }
    std::ranges::sort(windows, [](const Window& a, const Window& b) {
        return a.pattern != b.pattern ? a.pattern < b.pattern : a.begin < b.begin;
    });
    for (std::size_t i = 0; i < windows.size();) {
        const Window first = windows[i];
        std::size_t end = first.end;
        for (++i; i < windows.size() && windows[i].pattern == first.pattern && windows[i].begin <= end; ++i)
            end = std::max(end, windows[i].end);
        ++counters.verified;
        if (groups.run_lane(places[first.pattern], text, first.begin, end, &k[first.pattern], workspace) >
            k[first.pattern])
            continue;
        found(first.pattern);
        while (i < windows.size() && windows[i].pattern == first.pattern) ++i;
    }
}

template <class Each>
void PatternSet::Content::match_pairs(std::string_view utf8, std::span<const Pair> pairs,
                                      std::span<const std::uint32_t> order, bool decide, PairWorkspace& workspace,
                                      Counters& counters, Each each) const {
    ++counters.texts;
    if (!costs.unit()) {
        const std::u32string text = characters(utf8);
        std::vector<std::uint32_t> column;
        for (const std::uint32_t i : order) {
            const std::uint32_t p = pairs[i].pattern;
            counters.cells += std::uint64_t{text.size()} * patterns[p].size();
            each(i, weighted_distance(text, patterns[p], costs, extent, decide ? k[p] : ~0u, column));
        }
        return;
    }
    ClassifiedText& text = workspace.text;
    text.assign(utf8, alphabet);
    if (decide) {
        const auto dense = [&](std::uint32_t o) {
            const std::uint32_t p = pairs[o].pattern;
            return patterns[p].empty() || places[p].group < first_filtered;
        };
        const auto filtered =
            order.subspan(static_cast<std::size_t>(std::ranges::partition_point(order, dense) - order.begin()));
        if (direct_ns(pairs, filtered) > filter_ns) {
            decide_filtered(pairs, filtered, workspace, counters, each);
            order = order.first(order.size() - filtered.size());
        }
    }
    for (std::size_t i = 0; i < order.size();) {
        const std::uint32_t p = pairs[order[i]].pattern;
        if (patterns[p].empty()) {
            each(order[i++], distance_of_empty(text.size()));
            continue;
        }
        const std::uint32_t g = places[p].group;
        const auto in_group = [&](std::uint32_t o) {
            return !patterns[pairs[o].pattern].empty() && places[pairs[o].pattern].group == g;
        };
        const auto open = [&](std::uint32_t o) { return !decide || possible(pairs[o].pattern, text.size()); };
        std::size_t end = i, asked = 0;
        for (; end < order.size() && in_group(order[end]); ++end) asked += open(order[end]);
        const bool together = asked >= group_lanes_min;
        if (together) groups.run(g, text, decide ? group_k.data() + group_k_begin[g] : nullptr, workspace.groups);
        for (; i < end; ++i) {
            const std::uint32_t q = pairs[order[i]].pattern;
            if (!open(order[i])) {
                each(order[i], ~0u);
                continue;
            }
            const std::int64_t least =
                together ? workspace.groups.least[places[q].lane]
                         : groups.run_lane(places[q], text, 0, text.size(), decide ? &k[q] : nullptr, workspace.groups);
            each(order[i], static_cast<std::uint32_t>(least));
        }
    }
}

template <class Each>
void PatternSet::Content::decide_filtered(std::span<const Pair> pairs, std::span<const std::uint32_t> order,
                                          PairWorkspace& workspace, Counters& counters, Each each) const {
    workspace.asked.resize(patterns.size(), 0);
    for (std::size_t i = order.size(); i-- > 0;) {
        workspace.asked[pairs[order[i]].pattern] = static_cast<std::uint32_t>(i + 1);  // the first of equal pairs
        each(order[i], ~0u);
    }
    find_filtered(
        workspace.text, workspace.groups, counters, [&](std::uint32_t p) { return workspace.asked[p] != 0; },
        [&](std::uint32_t p) {
            for (std::size_t i = workspace.asked[p] - 1; i < order.size() && pairs[order[i]].pattern == p; ++i)
                each(order[i], 0);
        });
    for (const std::uint32_t i : order) workspace.asked[pairs[i].pattern] = 0;
}

template <class Each>
void PatternSet::Content::match_sparse(std::span<const std::string_view> texts, std::span<const Pair> pairs,
                                       bool decide, Counters& counters, Each each) const {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> keys(pairs.size());
    for (std::uint32_t i = 0; i < pairs.size(); ++i)
        keys[i] = {std::uint64_t{pairs[i].text} << 32 | rank[pairs[i].pattern], i};
    std::ranges::sort(keys);
    std::vector<std::uint32_t> order(pairs.size());
    std::ranges::transform(keys, order.begin(), [](const auto& key) { return key.second; });
    PairWorkspace workspace;
    for (std::size_t i = 0; i < order.size();) {
        std::size_t end = i;
        while (end < order.size() && pairs[order[end]].text == pairs[order[i]].text) ++end;
        match_pairs(texts[pairs[order[i]].text], pairs, std::span(order).subspan(i, end - i), decide, workspace,
                    counters, each);
        i = end;
    }
    counters.cells += workspace.groups.cells;
}

namespace {

void check_texts(std::span<const std::string_view> texts) {
    for (const std::string_view text : texts) {
        if (text.size() > text_bytes_max)
            throw std::invalid_argument("a text has " + std::to_string(text.size()) + " bytes; at most " +
                                        std::to_string(text_bytes_max) + " can be searched");
    }
}

}  // namespace

PatternSet::PatternSet(std::span<const Pattern> patterns, Extent extent, const Costs& costs, InstructionSet set)
    : content_(std::make_unique<const Content>(patterns, extent, costs, set)) {}
PatternSet::PatternSet(PatternSet&&) noexcept = default;
PatternSet& PatternSet::operator=(PatternSet&&) noexcept = default;
PatternSet::~PatternSet() = default;

void PatternSet::decide(std::span<const std::string_view> texts, std::span<const Pair> pairs,
                        std::span<std::uint8_t> within, Counters& counters) const {
    check_texts(texts);
    content_->match_sparse(texts, pairs, true, counters, [&](std::uint32_t i, std::uint32_t distance) {
        within[i] = distance <= content_->k[pairs[i].pattern] ? 1 : 0;
    });
}

void PatternSet::distances(std::span<const std::string_view> texts, std::span<const Pair> pairs,
                           std::span<std::uint32_t> distances, Counters& counters) const {
    check_texts(texts);
    content_->match_sparse(texts, pairs, false, counters,
                           [&](std::uint32_t i, std::uint32_t distance) { distances[i] = distance; });
}

}  // namespace sluice::edits
