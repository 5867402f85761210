// The interface between the engine and its operators: predicates whose measure (gpu/api/predicate.hpp) takes long to
// compute, decided family by family, many predicates against many texts in one call. A family is built with a segment,
// by one thread, and is then read-only for any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "gpu/api/predicate.hpp"
#include "gpu/operators/family_kind.hpp"
#include "gpu/operators/work.hpp"

namespace sluice::operators {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The numbers that a predicate accepts: those from lo to hi, or if `outside`, all others. A NaN operand accepts nothing
// unless `outside`.
struct Bounds {
    double lo = 0, hi = 0;
    bool outside = false;

    bool accept(double number) const { return (lo <= number && number <= hi) != outside; }
    friend bool operator==(const Bounds&, const Bounds&) = default;
};

struct MeasuredPredicate {
    engine::Measure measure;
    Bounds bounds;
};

// More are not made a family. Edit patterns on a device have numbers of 24 bits (gpu/operators/edits/edits.hpp).
constexpr std::size_t family_predicates_max = std::size_t{1} << 24;

class OperatorFamily {
public:
    // A pair to decide: the index of a predicate, as the family was built, and the index of a text in the call.
    struct Pair {
        std::uint32_t predicate = 0, text = 0;
    };

    virtual ~OperatorFamily() = default;

    // Sets holds[i] to 1 if the predicate of pairs[i] accepts the measure of its text, else to 0; also 0 if the text
    // has no such measure. The pairs are distinct and ascend by text, then by predicate. Any thread.
    virtual void evaluate(std::span<const std::string_view> texts, std::span<const Pair> pairs,
                          std::span<std::uint8_t> holds, OperatorWork& work) const = 0;

    // The approximate number of matrix cells that a device would compute for the pairs; 0 if devices are of no use.
    virtual double device_cells(std::span<const std::string_view>, std::span<const Pair>) const { return 0; }
};

}  // namespace sluice::operators
