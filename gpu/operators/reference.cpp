#include "gpu/operators/reference.hpp"

#include <cstddef>
#include <limits>
#include <vector>

#include "gpu/operators/alignment/reference.hpp"
#include "gpu/operators/approximate/approximate.hpp"
#include "gpu/operators/approximate/reference.hpp"
#include "gpu/operators/family.hpp"
#include "gpu/operators/recurrence/reference.hpp"
#include "gpu/operators/recurrence/series.hpp"
#include "gpu/operators/recurrence_family.hpp"
#include "gpu/operators/regex/regex.hpp"

namespace sluice {

namespace {

constexpr double none_such = std::numeric_limits<double>::quiet_NaN();

approximate::CostTable costs_of(const Measure& measure) {
    return approximate::cost_table(measure.scheme).value_or(approximate::CostTable::unit);
}

std::string pattern_fault(const Measure& measure) {
    const std::string refusal = approximate::refusal(measure.operand);
    return refusal.empty() ? refusal : "expected a shorter pattern: " + refusal;
}

std::string scheme_fault(const Measure& measure) {
    const std::string error = alignment::parse_scheme(measure.scheme).error;
    return error.empty() ? error : "expected a scheme: " + error;
}

MeasureFunction alignment_score(const Measure& measure) {
    using namespace alignment;
    const Scheme scheme = parse_scheme(measure.scheme).scheme;
    const Mode mode = measure.kind == Measure::Kind::align ? Mode::local : Mode::global;
    return [scheme, mode, query = scheme.encode(measure.operand)](std::string_view text) {
        const std::vector<Code> codes = scheme.encode(text);
        if (too_long(scheme, query.size(), codes.size())) return none_such;
        return static_cast<double>(reference_align(scheme, mode, query, codes).score);
    };
}

MeasureFunction recurrence_share(const Measure& measure) {
    return [measure](std::string_view text) {
        std::vector<double> series;
        if (recurrence::parse_series(text, series)) return none_such;
        const recurrence::Lines lines = recurrence::reference_lines(series, measure.epsilon);
        if (measure.kind == Measure::Kind::laminarity) return lines.laminarity(measure.line_min);
        if (measure.kind == Measure::Kind::determinism) return lines.determinism(measure.line_min);
        return lines.recurrence_rate();
    };
}

}  // namespace

std::string fault_of(const Measure& measure) {
    switch (family_of(measure.kind)) {
        case OperatorFamilyKind::regex:
            return regex_fault(measure.operand);
        case OperatorFamilyKind::alignment:
            return scheme_fault(measure);
        case OperatorFamilyKind::edits:
            return pattern_fault(measure);
        default:
            return {};
    }
}

namespace {

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
            return recurrence::describe(RecurrenceFamily::question_of(measure), {});
    }
}

// As the families on devices take them (cuda_families.hpp).
std::string where_it_is_computed(const Measure& measure) {
    const OperatorFamilyKind family = family_of(measure.kind);
    if (family == OperatorFamilyKind::regex) return "";
    if (family == OperatorFamilyKind::edits && costs_of(measure) != approximate::CostTable::unit) return "; on the CPU";
    const std::string device = "; on a GPU where that costs less";
    const bool exactly_on_cpu = family == OperatorFamilyKind::recurrence &&
                                measure.kind != Measure::Kind::recurrence_rate && measure.line_min != 2;
    return exactly_on_cpu ? device + " and the value is estimated" : device;
}

}  // namespace

std::string way_of(const Measure& measure) { return what_is_computed(measure) + where_it_is_computed(measure); }

MeasureFunction reference_of(const Measure& measure) {
    switch (measure.kind) {
        case Measure::Kind::matches:
            return [regex = compile_regex(measure.operand)](std::string_view text) {
                return regex->found_in(text) ? 1.0 : 0.0;
            };
        case Measure::Kind::approx_distance:
            return [pattern = measure.operand, table = costs_of(measure)](std::string_view text) {
                return static_cast<double>(approximate::approx_distance(text, pattern, table));
            };
        case Measure::Kind::edit_distance:
            return [pattern = measure.operand, table = costs_of(measure)](std::string_view text) {
                return static_cast<double>(approximate::edit_distance(text, pattern, table));
            };
        case Measure::Kind::align:
        case Measure::Kind::align_global:
            return alignment_score(measure);
        default:
            return recurrence_share(measure);
    }
}

}  // namespace sluice
