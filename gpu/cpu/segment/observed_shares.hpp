// The share of a sample of events in which each access token of a segment occurs. Made by one thread from frozen
// tables; then read-only for any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/cpu/segment/event_sample.hpp"
#include "gpu/cpu/segment/range_cell.hpp"
#include "gpu/tables/predicate_tables.hpp"

namespace sluice::cpu {

class ObservedShares {
public:
    ObservedShares(const engine::PredicateTables& tables, std::span<const SampledEvent> events);

    // The share expected of future events, given the share `prior` expected before: the smaller the sample, the more
    // the prior counts. For a literal of a bit family, and for a cell of a grid of this width.
    double of(engine::LiteralCode code, double prior) const;
    double of(const RangeCell& cell, std::uint32_t width, double prior) const;

private:
    struct Attribute {
        std::uint32_t events = 0;  // events that could have it
        // For the events that have numbers of it, ascending: the ranks of the greatest bound reached and of the least.
        std::vector<std::uint32_t> last_lo, first_hi;
    };

    const engine::PredicateTables& tables_;
    std::vector<std::uint32_t> counts_;  // by bit
    std::vector<Attribute> attributes_;
};

}  // namespace sluice::cpu
