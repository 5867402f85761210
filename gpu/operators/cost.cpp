#include "gpu/operators/cost.hpp"

#include "gpu/operators/family.hpp"
#include "gpu/operators/regex/regex.hpp"

namespace sluice {

namespace {

constexpr double per_instruction = 2;    // of a regular expression's program, all of which may be under way at a byte
constexpr double per_word = 1.5;         // of 64 characters of a pattern, bit-parallel
constexpr double per_weighted_cell = 2;  // of other costs' dynamic program
constexpr double per_aligned_cell = 0.1;
constexpr double per_series_byte = 30;  // to read the numbers; what they are asked for is bounded (evaluate.hpp)

double ns_per_byte(const Measure& m) {
    const auto size = static_cast<double>(m.operand.size());
    switch (family_of(m.kind)) {
        case OperatorFamilyKind::regex:
            return per_instruction * static_cast<double>(compile_regex(m.operand)->instructions());
        case OperatorFamilyKind::edits:
            return m.scheme == "unit" ? per_word * (size / 64 + 1) : per_weighted_cell * size;
        case OperatorFamilyKind::alignment:
            return per_aligned_cell * size + 1;
        case OperatorFamilyKind::recurrence:
            break;
    }
    return per_series_byte;
}

}  // namespace

OperatorCost cost_of(const Measure& measure) { return {ns_per_byte(measure)}; }

}  // namespace sluice
