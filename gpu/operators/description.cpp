// Descriptions of measures, and errors in them (gpu/api/predicate.hpp).
#include "gpu/api/predicate.hpp"
#include "gpu/operators/alignment/scheme/scheme.hpp"
#include "gpu/operators/edits/edits.hpp"
#include "gpu/operators/family.hpp"
#include "gpu/operators/recurrence_family.hpp"
#include "gpu/operators/regex/regex.hpp"

namespace sluice::engine {

namespace {

using operators::family_of;
using operators::OperatorFamilyKind;

std::string pattern_fault(const Measure& measure) {
    const std::string refusal = edits::refusal(measure.operand);
    return refusal.empty() ? refusal : "expected a shorter pattern: " + refusal;
}

std::string scheme_fault(const Measure& measure) {
    const std::string error = alignment::parse_scheme(measure.scheme).error;
    return error.empty() ? error : "expected a scheme: " + error;
}

std::string what_is_computed(const Measure& measure) {
    switch (measure.kind) {
        case Measure::Kind::matches:
            return "a regular expression, searched for in time linear in the text";
        case Measure::Kind::approx_distance:
            return "the least edit distance of any part of the text, in characters";
        case Measure::Kind::edit_distance:
            return "the edit distance of the whole text, in characters";
        case Measure::Kind::align:
            return "the score of the best local alignment";
        case Measure::Kind::align_global:
            return "the score of the global alignment";
        default:
            return recurrence::describe(operators::RecurrenceFamily::question_of(measure), {});
    }
}

// Consistent with what the device families support (cuda_families.hpp).
std::string where_it_is_computed(const Measure& measure) {
    const OperatorFamilyKind family = family_of(measure.kind);
    if (family == OperatorFamilyKind::regex) return "";
    if (family == OperatorFamilyKind::recurrence && measure.line_min > recurrence::shortest_line_max)
        return "; on the CPU";
    return "; on a GPU where that is cheaper";
}

}  // namespace

std::string invalid_reason(const Measure& measure) {
    switch (family_of(measure.kind)) {
        case OperatorFamilyKind::regex:
            return regex::regex_fault(measure.operand);
        case OperatorFamilyKind::alignment:
            return scheme_fault(measure);
        case OperatorFamilyKind::edits:
            return pattern_fault(measure);
        default:
            return {};
    }
}

std::string how_decided(const Measure& measure) { return what_is_computed(measure) + where_it_is_computed(measure); }

}  // namespace sluice::engine
