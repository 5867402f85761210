#include "gpu/operators/edits/pattern_content.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "gpu/operators/edits/characters.hpp"

namespace sluice::edits {

std::string refusal(std::string_view pattern) {
    const std::size_t m = characters(pattern).size();
    if (m <= pattern_characters_max) return "";
    return "the pattern has " + std::to_string(m) + " characters; at most " + std::to_string(pattern_characters_max) +
           " can be searched for";
}

namespace {

// The cost of a column of a pattern's word in a group, and in a window that is matched alone, both in nanoseconds. The
// piece filter is used if its windows are expected to cost less.
constexpr double group_word_ns = 0.15, window_word_ns = 3;
// The cost of the piece filter per character of a text, and per piece that is then compared.
constexpr double filter_character_ns = 1.5, filter_piece_ns = 30;
constexpr std::size_t filter_samples = 64;  // texts used to count such pieces

// The probability that two characters of the patterns are the same: an estimate for texts that resemble them.
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

PatternSet::Content::Content(std::span<const Pattern> given, Extent extent_of_all, const Costs& costs_of_all,
                             InstructionSet set)
    : extent(extent_of_all), costs(costs_of_all), groups(extent_of_all, set) {
    if (given.size() > patterns_max)
        throw std::invalid_argument("there are " + std::to_string(given.size()) + " patterns; at most " +
                                    std::to_string(patterns_max) + " can be searched for at once");
    for (const Pattern& pattern : given) {
        if (const std::string why = refusal(pattern.text); !why.empty()) throw std::invalid_argument(why);
        patterns.push_back(characters(pattern.text));
        alphabet.add(patterns.back());
        k.push_back(pattern.k);
    }
    rank.resize(patterns.size());
    if (costs.unit())
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

// Samples the patterns themselves as texts, without counting that each contains its own pieces.
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

}  // namespace sluice::edits
