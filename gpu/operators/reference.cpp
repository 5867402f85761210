#include "gpu/operators/reference.hpp"

#include <cstddef>
#include <limits>
#include <vector>

#include "gpu/api/empty_text.hpp"
#include "gpu/operators/alignment/scheme/reference.hpp"
#include "gpu/operators/edits/edits.hpp"
#include "gpu/operators/edits/reference.hpp"
#include "gpu/operators/family.hpp"
#include "gpu/operators/recurrence/reference.hpp"
#include "gpu/operators/recurrence/series.hpp"
#include "gpu/operators/recurrence_family.hpp"
#include "gpu/operators/regex/regex.hpp"

namespace sluice::operators {

namespace {

constexpr double none_such = std::numeric_limits<double>::quiet_NaN();

edits::CostTable costs_of(const engine::Measure& measure) {
    return edits::cost_table(measure.scheme).value_or(edits::CostTable::unit);
}

MeasureFunction alignment_score(const engine::Measure& measure) {
    using namespace alignment;
    const Scheme scheme = parse_scheme(measure.scheme).scheme;
    const Mode mode = measure.kind == engine::Measure::Kind::align ? Mode::local : Mode::global;
    return [scheme, mode, query = scheme.encode(measure.operand)](std::string_view text) {
        const std::vector<Code> codes = scheme.encode(text);
        if (too_long(scheme, query.size(), codes.size())) return none_such;
        return static_cast<double>(reference_align(scheme, mode, query, codes).score);
    };
}

MeasureFunction recurrence_share(const engine::Measure& measure) {
    return [measure](std::string_view text) {
        std::vector<double> series;
        if (recurrence::parse_series(text, series)) return none_such;
        const recurrence::Lines lines = recurrence::reference_lines(series, measure.epsilon);
        if (measure.kind == engine::Measure::Kind::laminarity) return lines.laminarity(measure.line_min);
        if (measure.kind == engine::Measure::Kind::determinism) return lines.determinism(measure.line_min);
        return lines.recurrence_rate();
    };
}

}  // namespace

MeasureFunction reference_of(const engine::Measure& measure) {
    switch (measure.kind) {
        case engine::Measure::Kind::matches:
            return [regex = regex::compile_regex(measure.operand)](std::string_view text) {
                return regex->found_in(text) ? 1.0 : 0.0;
            };
        case engine::Measure::Kind::approx_distance:
            return [pattern = measure.operand, table = costs_of(measure)](std::string_view text) {
                return static_cast<double>(edits::approx_distance(text, pattern, table));
            };
        case engine::Measure::Kind::edit_distance:
            return [pattern = measure.operand, table = costs_of(measure)](std::string_view text) {
                return static_cast<double>(edits::edit_distance(text, pattern, table));
            };
        case engine::Measure::Kind::align:
        case engine::Measure::Kind::align_global:
            return alignment_score(measure);
        default:
            return recurrence_share(measure);
    }
}

}  // namespace sluice::operators

double sluice::engine::of_empty_text(const Measure& measure) { return operators::reference_of(measure)({}); }
