// The budgets for work on a document that filters ask for: evaluating scanned conditions, and reading the values of
// attributes. In steps, each about a nanosecond (protocol/filter/evaluator/meter.hpp). Plain values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace sluice::feed {

// Identifies who asks for a condition: a subscriber.
using ScanOwner = std::uint64_t;

struct ScanLimits {
    static constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max() / 64;  // multiples fit, too

    std::uint64_t condition_steps_max = unlimited;  // of a scanned condition on a document, and of a path on an event
    std::uint64_t owner_steps_max = unlimited;      // of all scanned conditions of an owner on a document
    std::uint64_t document_steps_max = unlimited;   // of all scanned conditions on a document, and again of all paths
    // Shorter documents may spend less: a hundredth, plus a share in proportion to their length.
    std::size_t full_budget_bytes = 0;
    std::size_t bytes_max = 64u << 20;  // memory of an evaluation, and of the answers kept for a document

    // The part of `steps_max` that a document of this length gets.
    std::uint64_t share(std::uint64_t steps_max, std::size_t document_bytes) const {
        if (document_bytes >= full_budget_bytes) return steps_max;
        return std::min(steps_max, steps_max / 100 + steps_max / full_budget_bytes * document_bytes);
    }
};

}  // namespace sluice::feed
