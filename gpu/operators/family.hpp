// The seam between the engine and its operators: predicates whose measure (gpu/predicate.hpp) takes long to compute,
// decided family by family, many predicates against many texts in one call. Built with a segment, by one thread, and
// then read-only for any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "gpu/operators/work.hpp"
#include "gpu/predicate.hpp"

namespace sluice {

// Which numbers a predicate accepts: those from lo to hi, or all others. NaN operands are accepted by nothing but
// "outside".
struct Bounds {
    double lo = 0, hi = 0;
    bool outside = false;

    bool accept(double number) const { return (lo <= number && number <= hi) != outside; }
    friend bool operator==(const Bounds&, const Bounds&) = default;
};

struct MeasuredPredicate {
    Measure measure;
    Bounds bounds;
};

// Which operators share a family, in the order in which a batch asks them: the cheap ones first, since what they decide
// need not be asked of the others.
enum class OperatorFamilyKind : std::uint8_t { regex, edits, recurrence, alignment };
constexpr std::size_t operator_families = 4;

constexpr OperatorFamilyKind family_of(Measure::Kind kind) {
    switch (kind) {
        case Measure::Kind::matches:
            return OperatorFamilyKind::regex;
        case Measure::Kind::approx_distance:
        case Measure::Kind::edit_distance:
            return OperatorFamilyKind::edits;
        case Measure::Kind::align:
        case Measure::Kind::align_global:
            return OperatorFamilyKind::alignment;
        default:
            return OperatorFamilyKind::recurrence;
    }
}

class OperatorFamily {
public:
    // A pair to decide: index of a predicate, as the family was built with, and of a text of the call.
    struct Pair {
        std::uint32_t predicate = 0, text = 0;
    };

    virtual ~OperatorFamily() = default;

    // holds[i] = whether the predicate of pairs[i] accepts the measure of its text, 0 or 1; 0 where the text has no
    // such measure. The pairs are distinct and ascend by text, then by predicate. Any thread.
    virtual void evaluate(std::span<const std::string_view> texts, std::span<const Pair> pairs,
                          std::span<std::uint8_t> holds, OperatorWork& work) const = 0;

    // How many cells of matrices, about, a device would have to compute for the pairs: 0 where devices are no use.
    virtual double device_cells(std::span<const std::string_view>, std::span<const Pair>) const { return 0; }

    virtual std::size_t bytes() const = 0;
};

class OperatorDevices;

// All predicates are of this family, and fault_of() finds none in their measures; there is at least one. With devices
// (device_family.hpp), or null, a batch's pairs are evaluated there if that costs less.
std::unique_ptr<const OperatorFamily> make_family(OperatorFamilyKind kind,
                                                  const std::vector<MeasuredPredicate>& predicates,
                                                  const std::shared_ptr<OperatorDevices>& devices = nullptr);

}  // namespace sluice
