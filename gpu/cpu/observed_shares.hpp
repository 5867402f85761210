// In which share of a sample of events the access tokens of a segment are found. Made by one thread of frozen tables;
// then read-only for any.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/cpu/event_sample.hpp"
#include "gpu/tables/predicate_tables.hpp"

namespace sluice {

struct RangeCell;

class ObservedShares {
public:
    ObservedShares(const PredicateTables& tables, std::span<const SampledEvent> events);

    // What is expected of an event after the sample, if `prior` was expected before: the smaller the sample, the more
    // the prior counts. Of a literal of a bit family; of a cell (access.hpp) of a grid of this width.
    double of(LiteralCode code, double prior) const;
    double of(const RangeCell& cell, std::uint32_t width, double prior) const;

private:
    struct Attribute {
        std::uint32_t events = 0;  // that could have it
        // Of those that have numbers of it, ascending: the ranks of the greatest bound reached and of the least.
        std::vector<std::uint32_t> last_lo, first_hi;
    };

    const PredicateTables& tables_;
    std::vector<std::uint32_t> counts_;  // by bit
    std::vector<Attribute> attributes_;
};

}  // namespace sluice
