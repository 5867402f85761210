#include "gpu/cpu/segment/observed_shares.hpp"

#include <algorithm>

namespace sluice::cpu {

namespace {

constexpr double prior_events = 16;  // the weight of the prior

double blend(std::size_t found, std::size_t events, double prior) {
    return (static_cast<double>(found) + prior_events * prior) / (static_cast<double>(events) + prior_events);
}

}  // namespace

ObservedShares::ObservedShares(const engine::PredicateTables& tables, std::span<const SampledEvent> events)
    : tables_(tables), counts_(tables.bits()), attributes_(tables.attributes()) {
    engine::EventState state;
    std::vector<engine::Value> values;
    std::vector<std::uint32_t> known;  // by event: how many attributes could be seen
    for (const SampledEvent& event : events) {
        event.values(values);
        tables.evaluate(values, state);
        for (const std::uint32_t bits : state.true_codes) ++counts_[tables.bit(engine::LiteralCode(bits))];
        for (const std::uint32_t a : state.with_numbers) {
            if (state.positions[a].lo_end == 0) continue;  // below every range
            attributes_[a].last_lo.push_back(state.positions[a].lo_end - 1);
            attributes_[a].first_hi.push_back(state.positions[a].hi_begin);
        }
        tables.forget(state);
        known.push_back(event.attributes());
    }
    std::sort(known.begin(), known.end());
    for (std::uint32_t a = 0; a < tables.attributes(); ++a) {
        const auto at =
            std::upper_bound(known.begin(), known.end(), tables.name(engine::LiteralCode(engine::Family::exists, a)));
        attributes_[a].events = static_cast<std::uint32_t>(known.end() - at);
        std::sort(attributes_[a].last_lo.begin(), attributes_[a].last_lo.end());
        std::sort(attributes_[a].first_hi.begin(), attributes_[a].first_hi.end());
    }
}

double ObservedShares::of(engine::LiteralCode code, double prior) const {
    return blend(counts_[tables_.bit(code)], attributes_[tables_.attribute_of(code)].events, prior);
}

// An event that does not look into the cell lies entirely below it or entirely above the next one, never both.
double ObservedShares::of(const RangeCell& cell, std::uint32_t width, double prior) const {
    const Attribute& a = attributes_[cell.attribute];
    const std::uint64_t size = std::uint64_t{width} << cell.level;
    const auto count_below = [](const std::vector<std::uint32_t>& ranks, std::uint64_t end) {
        return static_cast<std::size_t>(std::lower_bound(ranks.begin(), ranks.end(), end) - ranks.begin());
    };
    const std::size_t below = count_below(a.last_lo, size * cell.cell);
    const std::size_t not_above = count_below(a.first_hi, size * (std::uint64_t{cell.cell} + 2));
    return blend(not_above - below, a.events, prior);
}

}  // namespace sluice::cpu
