#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "gpu/operators/approximate/approximate.hpp"
#include "gpu/operators/approximate/characters.hpp"
#include "gpu/operators/approximate/myers_groups.hpp"
#include "gpu/operators/approximate/piece_filter.hpp"
#include "gpu/operators/approximate/weighted.hpp"

namespace sluice::approximate {

std::string refusal(std::string_view pattern) {
    const std::size_t m = characters(pattern).size();
    if (m <= pattern_characters_max) return "";
    return "the pattern has " + std::to_string(m) + " characters; at most " + std::to_string(pattern_characters_max) +
           " can be searched for";
}

namespace {

// When fewer lanes of a group are asked for, they are matched one by one.
constexpr std::size_t group_lanes_min = 3;

// What a column of a pattern's word costs in a group, and in a window that is matched alone; both in nanoseconds. The
// piece filter is used where its windows are expected to cost less.
constexpr double group_word_ns = 0.15, window_word_ns = 3;
// What the piece filter costs for a character of a text, and for a piece that is then compared.
constexpr double filter_character_ns = 1.5, filter_piece_ns = 30;
constexpr std::size_t filter_samples = 64;  // texts that the latter are counted in

// How likely two characters of the patterns are the same: what to expect of texts that are like them.
double coincidence(std::span<const std::u32string> patterns) {
    std::vector<double> count(1024, 0.0);
    double all = 0;
    for (const auto& pattern : patterns) {
        for (const char32_t c : pattern) ++count[c % count.size()];
        all += static_cast<double>(pattern.size());
    }
    double squares = 0;
    for (const double n : count) squares += n * n;
    return all == 0 ? 1 : squares / (all * all);
}

bool filter_pays(std::size_t m, std::uint32_t k, double coincidence) {
    const std::size_t piece_size = m / (k + 1);
    const double pieces = k + 1.0, window = static_cast<double>(m) + 2.0 * k;
    const double found_per_character = pieces * std::pow(coincidence, static_cast<double>(piece_size));
    return found_per_character * window * window_word_ns < group_word_ns;
}

}  // namespace

struct PatternSet::Content {
    Extent extent;
    CostTable table;
    Costs costs;
    std::vector<std::u32string> patterns;
    std::vector<std::uint32_t> k;
    std::vector<std::uint32_t> always;  // patterns that every text is near enough to, sorted
    std::vector<std::uint32_t> rank;    // [pattern]: in the order in which they are matched. Empty ones: 0

    // Unit costs. The groups from first_filtered on are of patterns that the filter finds.
    Alphabet alphabet;
    MyersGroups groups;
    std::size_t first_filtered = 0;
    std::vector<MyersGroups::Place> places;  // [pattern]; of empty ones none
    std::vector<std::uint32_t> group_k;      // k of the lanes of all groups
    std::vector<std::size_t> group_k_begin;  // [group]
    PieceFilter filter;
    double filter_ns = 0;  // that it is expected to cost for a character of a text

    Content(std::span<const Pattern> given, Extent extent_of_all, CostTable table_of_all, InstructionSet set);

    void build_groups(std::span<const Pattern> given);
    void sample_filter(std::span<const Pattern> given, std::span<const std::uint32_t> filtered);
    // What patterns of one text, in the order of their groups, cost for a character of it without the filter.
    double direct_ns(std::span<const Pair> pairs, std::span<const std::uint32_t> order) const;
    void find_dense(std::uint32_t t, const ClassifiedText& text, MyersGroups::Workspace&, std::vector<Pair>&) const;
    // Calls found(pattern) for each pattern that is wanted and near enough.
    template <class Wanted, class Found>
    void find_filtered(const ClassifiedText& text, MyersGroups::Workspace&, Counters&, Wanted wanted,
                       Found found) const;

    struct PairWorkspace {
        ClassifiedText text;
        MyersGroups::Workspace groups;
        std::vector<std::uint32_t> asked;  // [pattern]: 1 + where in the order of a text's pairs, 0 where it is not
    };
    // Calls each(pair, distance) for pairs of one text; with `decide`, distances are only as right as that needs.
    template <class Each>
    void match_pairs(std::string_view text, std::span<const Pair> pairs, std::span<const std::uint32_t> order,
                     bool decide, PairWorkspace& workspace, Counters& counters, Each each) const;
    // The same of the last pairs of an order, all of patterns that the filter finds.
    template <class Each>
    void decide_filtered(std::span<const Pair> pairs, std::span<const std::uint32_t> order, PairWorkspace& workspace,
                         Counters& counters, Each each) const;
    template <class Each>
    void match_sparse(std::span<const std::string_view> texts, std::span<const Pair> pairs, bool decide,
                      Counters& counters, Each each) const;
    // Whether the lengths alone leave it open that a text of n characters is within k of the pattern. Unit costs.
    bool possible(std::uint32_t pattern, std::size_t n) const {
        const std::size_t m = patterns[pattern].size();
        return m <= n + k[pattern] && (extent == Extent::substring || n <= m + k[pattern]);
    }
    std::uint32_t distance_of_empty(std::size_t text_characters) const {
        return extent == Extent::whole ? static_cast<std::uint32_t>(text_characters) * costs.insertion() : 0;
    }
};

PatternSet::Content::Content(std::span<const Pattern> given, Extent extent_of_all, CostTable table_of_all,
                             InstructionSet set)
    : extent(extent_of_all), table(table_of_all), costs(table_of_all), groups(extent_of_all, set) {
    if (given.size() > patterns_max)
        throw std::invalid_argument("there are " + std::to_string(given.size()) + " patterns; at most " +
                                    std::to_string(patterns_max) + " can be searched for at once");
    for (const Pattern& pattern : given) {
        if (const std::string why = refusal(pattern.text); !why.empty()) throw std::invalid_argument(why);
        patterns.push_back(characters(pattern.text));
        alphabet.add(patterns.back());
        k.push_back(pattern.k);
        if (extent == Extent::substring && pattern.k >= patterns.back().size() * costs.deletion())
            always.push_back(static_cast<std::uint32_t>(patterns.size() - 1));
    }
    rank.resize(patterns.size());
    if (table == CostTable::unit)
        build_groups(given);
    else
        std::iota(rank.begin(), rank.end(), 0u);
}

void PatternSet::Content::build_groups(std::span<const Pattern> given) {
    const double alike = coincidence(patterns);
    std::vector<std::vector<std::uint32_t>> classes(patterns.size());
    std::vector<std::span<const std::uint32_t>> kinds[2];  // dense, filtered
    std::vector<std::uint32_t> ids[2];
    for (std::uint32_t p = 0; p < patterns.size(); ++p) {
        const std::size_t m = patterns[p].size();
        if (m == 0) continue;
        for (const char32_t c : patterns[p]) classes[p].push_back(alphabet.class_of(c));
        const bool filtered = extent == Extent::substring && k[p] < m && filter_pays(m, k[p], alike) &&
                              filter.add(p, given[p].text, m, k[p]);
        kinds[filtered].push_back(classes[p]);
        ids[filtered].push_back(p);
    }
    filter.build();
    sample_filter(given, ids[1]);
    groups.add(kinds[0], ids[0], alphabet.size());
    first_filtered = groups.groups();
    groups.add(kinds[1], ids[1], alphabet.size());
    places.resize(patterns.size());
    for (std::uint32_t g = 0; g < groups.groups(); ++g) {
        group_k_begin.push_back(group_k.size());
        std::uint32_t lane = 0;
        for (const std::uint32_t p : groups.group_patterns(g)) {
            places[p] = {g, lane++};
            group_k.push_back(k[p]);
            rank[p] = static_cast<std::uint32_t>(group_k.size());
        }
    }
}

// The patterns themselves are texts to judge by; that each has its own pieces does not count.
void PatternSet::Content::sample_filter(std::span<const Pattern> given, std::span<const std::uint32_t> filtered) {
    std::vector<PieceFilter::Candidate> candidates;
    std::size_t pieces = 0, bytes = 1;
    for (std::size_t i = 0; i < filtered.size(); i += 1 + filtered.size() / filter_samples) {
        const std::uint32_t p = filtered[i];
        candidates.clear();
        pieces += filter.scan(given[p].text, candidates) - (k[p] + 1);
        bytes += given[p].text.size();
    }
    filter_ns = filter_character_ns + filter_piece_ns * static_cast<double>(pieces) / static_cast<double>(bytes);
}

double PatternSet::Content::direct_ns(std::span<const Pair> pairs, std::span<const std::uint32_t> order) const {
    double sum = 0;
    for (std::size_t i = 0, end = 0; i < order.size(); i = end) {
        const std::uint32_t p = pairs[order[i]].pattern;
        while (end < order.size() && places[pairs[order[end]].pattern].group == places[p].group) ++end;
        const std::size_t words = patterns[p].size() / 64 + 1, asked = end - i;
        const std::size_t lanes = groups.group_patterns(places[p].group).size();
        sum += asked < group_lanes_min ? window_word_ns * static_cast<double>(asked * words)
                                       : group_word_ns * static_cast<double>(lanes * words);
    }
    return sum;
}

void PatternSet::Content::find_dense(std::uint32_t t, const ClassifiedText& text, MyersGroups::Workspace& workspace,
                                     std::vector<Pair>& found) const {
    for (std::size_t g = 0; g < first_filtered; ++g) {
        const auto ids = groups.group_patterns(g);
        if (std::ranges::none_of(ids, [&](std::uint32_t p) { return possible(p, text.size()); })) continue;
        const std::uint32_t* const bounds = group_k.data() + group_k_begin[g];
        groups.run(g, text, bounds, workspace);
        for (std::size_t l = 0; l < ids.size(); ++l) {
            const bool listed = extent == Extent::substring && k[ids[l]] >= patterns[ids[l]].size();
            if (workspace.least[l] <= bounds[l] && !listed) found.push_back({t, ids[l]});
        }
    }
}

template <class Wanted, class Found>
void PatternSet::Content::find_filtered(const ClassifiedText& text, MyersGroups::Workspace& workspace,
                                        Counters& counters, Wanted wanted, Found found) const {
    std::vector<PieceFilter::Candidate> candidates;
    filter.scan(text.utf8(), candidates);
    std::erase_if(candidates, [&](const auto& candidate) { return !wanted(candidate.pattern); });
    counters.filter_hits += candidates.size();
    if (candidates.empty()) return;
    std::vector<std::size_t> begins;  // [character]: its byte, where they differ
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
    if (table != CostTable::unit) {
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

PatternSet::PatternSet(std::span<const Pattern> patterns, Extent extent, CostTable costs, InstructionSet set)
    : content_(std::make_unique<const Content>(patterns, extent, costs, set)) {}
PatternSet::PatternSet(PatternSet&&) noexcept = default;
PatternSet& PatternSet::operator=(PatternSet&&) noexcept = default;
PatternSet::~PatternSet() = default;

std::size_t PatternSet::size() const { return content_->patterns.size(); }

void PatternSet::find(std::span<const std::string_view> texts, std::vector<Pair>& found, Counters& counters) const {
    const Content& set = *content_;
    check_texts(texts);
    MyersGroups::Workspace workspace;
    ClassifiedText text;
    for (std::uint32_t t = 0; t < texts.size(); ++t) {
        const std::size_t first = found.size();
        for (const std::uint32_t p : set.always) found.push_back({t, p});
        if (set.table != CostTable::unit) {
            std::vector<Pair> pairs;
            std::vector<std::uint8_t> within;
            for (std::uint32_t p = 0; p < size(); ++p) {
                if (!std::ranges::binary_search(set.always, p)) pairs.push_back({t, p});
            }
            within.resize(pairs.size());
            decide(texts, pairs, within, counters);
            for (std::size_t i = 0; i < pairs.size(); ++i) {
                if (within[i] != 0) found.push_back(pairs[i]);
            }
        } else {
            ++counters.texts;
            text.assign(texts[t], set.alphabet);
            if (set.extent == Extent::whole) {
                for (std::uint32_t p = 0; p < size(); ++p) {
                    if (set.patterns[p].empty() && set.distance_of_empty(text.size()) <= set.k[p])
                        found.push_back({t, p});
                }
            }
            set.find_dense(t, text, workspace, found);
            set.find_filtered(
                text, workspace, counters, [](std::uint32_t) { return true; },
                [&](std::uint32_t p) {
                    found.push_back({t, p});
                });
        }
        std::sort(found.begin() + static_cast<std::ptrdiff_t>(first), found.end());
    }
    counters.cells += workspace.cells;
}

void PatternSet::decide(std::span<const std::string_view> texts, std::span<const Pair> pairs,
                        std::span<std::uint8_t> within, Counters& counters) const {
    check_texts(texts);
    content_->match_sparse(texts, pairs, true, counters, [&](std::uint32_t i, std::uint32_t distance) {
        within[i] = distance <= content_->k[pairs[i].pattern] ? 1 : 0;
    });
}

void PatternSet::distances(std::span<const std::string_view> texts, std::span<std::uint32_t> distances,
                           Counters& counters) const {
    std::vector<Pair> pairs(size());
    for (std::uint32_t t = 0; t < texts.size(); ++t) {
        for (std::uint32_t p = 0; p < size(); ++p) pairs[p] = {t, p};
        this->distances(texts, pairs, distances.subspan(t * size(), size()), counters);
    }
}

void PatternSet::distances(std::span<const std::string_view> texts, std::span<const Pair> pairs,
                           std::span<std::uint32_t> distances, Counters& counters) const {
    check_texts(texts);
    content_->match_sparse(texts, pairs, false, counters,
                           [&](std::uint32_t i, std::uint32_t distance) { distances[i] = distance; });
}

}  // namespace sluice::approximate
