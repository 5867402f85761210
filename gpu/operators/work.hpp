// What the measured predicates of a batch took, by kind of measure. Added up by the thread that matches.
#pragma once

#include <array>
#include <cstdint>

#include "gpu/predicate.hpp"

namespace sluice {

struct OperatorWork {
    struct Kind {
        std::uint64_t pairs = 0;        // (predicate, text) that had to be decided
        std::uint64_t cells = 0;        // of their matrices, whether all were computed or fewer decided the pair
        std::uint64_t filter_hits = 0;  // what a filter found that might be a hit
        std::uint64_t verified = 0;     // of these, what was looked at by the operator itself
        std::uint64_t holds = 0;        // pairs that hold
        std::uint64_t unreadable = 0;   // pairs whose text has no such measure: a series that is none
    };

    std::array<Kind, measure_kinds> kinds{};

    Kind& of(Measure::Kind kind) { return kinds[static_cast<std::size_t>(kind)]; }
    const Kind& of(Measure::Kind kind) const { return kinds[static_cast<std::size_t>(kind)]; }
};

}  // namespace sluice
