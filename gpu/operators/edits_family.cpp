#include "gpu/operators/edits_family.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

namespace sluice {

namespace {

using approximate::CostTable;
using approximate::Extent;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::uint32_t k_max = 1u << 30;  // beyond every distance

// "At most k" or its opposite, where the bounds say that: distances are whole numbers from 0.
struct Threshold {
    std::uint32_t k;
    bool flipped;
};
std::optional<Threshold> threshold_of(const Bounds& b) {
    if (b.outside) return std::nullopt;
    const auto whole = [](double k) { return static_cast<std::uint32_t>(std::min<double>(k, k_max)); };
    if (b.lo <= 0 && b.hi >= 0) return Threshold{whole(std::floor(b.hi)), false};
    if (b.lo > 0 && b.hi == infinity) return Threshold{whole(std::ceil(b.lo) - 1), true};
    return std::nullopt;
}

using Key = std::tuple<Measure::Kind, CostTable, bool>;  // the last: decides

}  // namespace

EditsFamily::EditsFamily(const std::vector<MeasuredPredicate>& predicates) {
    std::map<Key, std::vector<approximate::Pattern>> patterns;
    std::vector<Key> keys;
    for (const MeasuredPredicate& p : predicates) {
        const std::optional<Threshold> threshold = threshold_of(p.bounds);
        const CostTable costs = approximate::cost_table(p.measure.scheme).value_or(CostTable::unit);
        keys.emplace_back(p.measure.kind, costs, threshold.has_value());
        auto& same = patterns[keys.back()];
        entries_.push_back({0, static_cast<std::uint32_t>(same.size()), threshold && threshold->flipped, p.bounds});
        same.push_back({p.measure.operand, threshold ? threshold->k : 0});
        bytes_ += sizeof(Entry) + 32 * p.measure.operand.size();  // a bit for each character and place, about
    }
    std::map<Key, std::uint32_t> index;
    for (const auto& [key, same] : patterns) {
        const auto& [kind, costs, decides] = key;
        const Extent extent = kind == Measure::Kind::approx_distance ? Extent::substring : Extent::whole;
        index[key] = static_cast<std::uint32_t>(sets_.size());
        sets_.push_back({approximate::PatternSet(same, extent, costs), kind, decides});
    }
    for (std::size_t i = 0; i < entries_.size(); ++i) entries_[i].set = index[keys[i]];
}

void EditsFamily::evaluate(std::span<const std::string_view> texts, std::span<const Pair> pairs,
                           std::span<std::uint8_t> holds, OperatorWork& work) const {
    std::vector<std::vector<approximate::Pair>> asked(sets_.size());
    std::vector<std::vector<std::uint32_t>> places(sets_.size());  // of what is asked, in pairs
    for (std::uint32_t i = 0; i < pairs.size(); ++i) {
        const Entry& entry = entries_[pairs[i].predicate];
        OperatorWork::Kind& w = work.of(sets_[entry.set].kind);
        ++w.pairs;
        holds[i] = 0;
        if (texts[pairs[i].text].size() > approximate::text_bytes_max) {
            ++w.unreadable;
            continue;
        }
        asked[entry.set].push_back({pairs[i].text, entry.pattern});
        places[entry.set].push_back(i);
    }
    for (std::size_t s = 0; s < sets_.size(); ++s) {
        if (!asked[s].empty()) evaluate(sets_[s], texts, asked[s], places[s], pairs, holds, work);
    }
}

void EditsFamily::evaluate(const Set& set, std::span<const std::string_view> texts,
                           std::span<const approximate::Pair> asked, std::span<const std::uint32_t> places,
                           std::span<const Pair> pairs, std::span<std::uint8_t> holds, OperatorWork& work) const {
    approximate::Counters counters;
    OperatorWork::Kind& w = work.of(set.kind);
    const auto entry_of = [&](std::size_t i) -> const Entry& { return entries_[pairs[places[i]].predicate]; };
    if (set.decides) {
        std::vector<std::uint8_t> within(asked.size());
        set.patterns.decide(texts, asked, within, counters);
        for (std::size_t i = 0; i < asked.size(); ++i) holds[places[i]] = (within[i] != 0) != entry_of(i).flipped;
    } else {
        std::vector<std::uint32_t> distances(asked.size());
        set.patterns.distances(texts, asked, distances, counters);
        for (std::size_t i = 0; i < asked.size(); ++i) holds[places[i]] = entry_of(i).bounds.accept(distances[i]);
    }
    for (const std::uint32_t place : places) w.holds += holds[place];
    w.cells += counters.cells;
    w.filter_hits += counters.filter_hits;
    w.verified += counters.verified;
}

}  // namespace sluice
