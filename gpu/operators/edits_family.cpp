#include "gpu/operators/edits_family.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

namespace sluice::operators {

namespace {

using edits::CostTable;
using edits::Extent;

static_assert(family_predicates_max <= edits::patterns_max);

constexpr std::uint32_t k_max = 1u << 30;  // greater than any distance
// A cell of a matrix with other than unit costs takes as long as about this many that are computed bit-parallel.
constexpr double weighted_cell = 50;

// The bounds as "at most k" or its opposite, if they amount to that: distances are whole numbers from 0.
struct DistanceThreshold {
    std::uint32_t k;
    bool flipped;
};
std::optional<DistanceThreshold> distance_threshold(const Bounds& b) {
    if (b.outside) return std::nullopt;
    const auto whole = [](double k) { return static_cast<std::uint32_t>(std::min<double>(k, k_max)); };
    if (b.lo <= 0 && b.hi >= 0) return DistanceThreshold{whole(std::floor(b.hi)), false};
    if (b.lo > 0 && b.hi == infinity) return DistanceThreshold{whole(std::ceil(b.lo) - 1), true};
    return std::nullopt;
}

using Key = std::tuple<engine::Measure::Kind, CostTable, bool>;  // the last: decides

}  // namespace

EditsFamily::EditsFamily(const std::vector<MeasuredPredicate>& predicates) {
    std::map<Key, std::vector<edits::Pattern>> patterns;
    std::vector<Key> keys;
    for (const MeasuredPredicate& p : predicates) {
        const std::optional<DistanceThreshold> threshold = distance_threshold(p.bounds);
        const CostTable costs = edits::cost_table(p.measure.scheme).value_or(CostTable::unit);
        keys.emplace_back(p.measure.kind, costs, threshold.has_value());
        auto& same = patterns[keys.back()];
        entries_.push_back({0, static_cast<std::uint32_t>(same.size()), threshold && threshold->flipped, p.bounds});
        same.push_back({operands_.emplace_back(p.measure.operand), threshold ? threshold->k : 0});
    }
    std::map<Key, std::uint32_t> index;
    for (auto& [key, same] : patterns) {
        const auto& [kind, costs, decides] = key;
        const Extent extent = kind == engine::Measure::Kind::approx_distance ? Extent::substring : Extent::whole;
        index[key] = static_cast<std::uint32_t>(sets_.size());
        edits::PatternSet set(same, extent, costs);
        sets_.push_back({{std::move(same), extent, costs}, std::move(set), kind, decides});
    }
    for (std::size_t i = 0; i < entries_.size(); ++i) entries_[i].set = index[keys[i]];
}

double EditsFamily::device_cells(std::span<const std::string_view> texts, std::span<const Pair> pairs) const {
    double cells = 0;
    for (const Pair& pair : pairs) {
        const Entry& entry = entries_[pair.predicate];
        const Description& d = sets_[entry.set].description;
        const std::size_t n = texts[pair.text].size();
        if (n > edits::text_bytes_max) continue;
        cells += (d.costs == CostTable::unit ? 1 : weighted_cell) * static_cast<double>(n) *
                 static_cast<double>(d.patterns[entry.pattern].text.size());
    }
    return cells;
}

void EditsFamily::evaluate(std::span<const std::string_view> texts, std::span<const Pair> pairs,
                           std::span<std::uint8_t> holds, OperatorWork& work, EditsSolver* solver) const {
    std::vector<Asked> asked(sets_.size());
    PairCounter counter(work);
    for (std::uint32_t i = 0; i < pairs.size(); ++i) {
        const Entry& entry = entries_[pairs[i].predicate];
        OperatorWork::Kind& w = counter.add(sets_[entry.set].kind, pairs[i].text, solver != nullptr);
        holds[i] = 0;
        if (texts[pairs[i].text].size() > edits::text_bytes_max) {
            ++w.unreadable;
            continue;
        }
        asked[entry.set].pairs.push_back({pairs[i].text, entry.pattern});
        asked[entry.set].places.push_back(i);
    }
    for (std::size_t s = 0; s < sets_.size(); ++s) {
        if (!asked[s].pairs.empty()) evaluate(s, texts, asked[s], pairs, holds, work, solver);
    }
}

void EditsFamily::evaluate(std::size_t index, std::span<const std::string_view> texts, const Asked& asked,
                           std::span<const Pair> pairs, std::span<std::uint8_t> holds, OperatorWork& work,
                           EditsSolver* solver) const {
    const Set& set = sets_[index];
    edits::Counters counters;
    OperatorWork::Kind& w = work.of(set.kind);
    const auto entry_of = [&](std::size_t i) -> const Entry& { return entries_[pairs[asked.places[i]].predicate]; };
    const bool on_device = solver != nullptr;
    const std::size_t n = asked.pairs.size();
    if (set.decides) {
        std::vector<std::uint8_t> within(n);
        if (on_device)
            solver->decide(index, texts, asked.pairs, within, counters);
        else
            set.patterns.decide(texts, asked.pairs, within, counters);
        for (std::size_t i = 0; i < n; ++i) holds[asked.places[i]] = (within[i] != 0) != entry_of(i).flipped;
    } else {
        std::vector<std::uint32_t> distances(n);
        if (on_device)
            solver->distances(index, texts, asked.pairs, distances, counters);
        else
            set.patterns.distances(texts, asked.pairs, distances, counters);
        for (std::size_t i = 0; i < n; ++i) holds[asked.places[i]] = entry_of(i).bounds.accept(distances[i]);
    }
    for (const std::uint32_t place : asked.places) w.holds += holds[place];
    w.cells += counters.cells;
    if (on_device) w.on_device.cells += counters.cells;
    w.filter_hits += counters.filter_hits;
    w.verified += counters.verified;
}

}  // namespace sluice::operators
