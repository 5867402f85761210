#include "gpu/operators/cost.hpp"

#include "gpu/operators/family.hpp"
#include "gpu/operators/regex/regex.hpp"

namespace sluice::operators {

namespace {

constexpr double per_instruction = 2;    // of a regular expression's program; all may be active at each byte
constexpr double per_word = 1.5;         // of 64 characters of a pattern, bit-parallel
constexpr double per_weighted_cell = 2;  // of the dynamic program for non-unit costs
constexpr double per_aligned_cell = 0.1;
constexpr double per_series_byte = 60;  // to parse and sort the numbers; the rest is bounded (evaluate.hpp)

double ns_per_byte(const engine::Measure& m) {
    const auto size = static_cast<double>(m.operand.size());
    switch (family_of(m.kind)) {
        case OperatorFamilyKind::regex:
            return per_instruction * static_cast<double>(regex::compile_regex(m.operand)->instructions());
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

OperatorCost cost_of(const engine::Measure& measure) { return {ns_per_byte(measure)}; }

}  // namespace sluice::operators
