#include "gpu/operators/measured.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "gpu/operators/alignment/on_core.hpp"
#include "gpu/operators/edits/edits.hpp"
#include "gpu/operators/family.hpp"
#include "gpu/operators/recurrence_family.hpp"
#include "gpu/operators/regex/regex.hpp"

namespace sluice::operators {

namespace {

using Kind = engine::Measure::Kind;

constexpr double without_measure = std::numeric_limits<double>::quiet_NaN();

double edit_distance_of(const engine::Measure& measure, std::string_view text) {
    if (text.size() > edits::text_bytes_max) return without_measure;
    const auto extent = measure.kind == Kind::approx_distance ? edits::Extent::substring : edits::Extent::whole;
    const edits::Pattern pattern{measure.operand};
    const edits::PatternSet set({&pattern, 1}, extent,
                                edits::cost_table(measure.scheme).value_or(edits::CostTable::unit));
    const edits::Pair pair{0, 0};
    std::uint32_t found = 0;
    edits::Counters counters;
    set.distances({&text, 1}, {&pair, 1}, {&found, 1}, counters);
    return found;
}

double alignment_score_of(const engine::Measure& measure, std::string_view text) {
    const alignment::Scheme scheme = alignment::parse_scheme(measure.scheme).scheme;
    const auto mode = measure.kind == Kind::align ? alignment::Mode::local : alignment::Mode::global;
    const auto query = scheme.encode(measure.operand), letters = scheme.encode(text);
    if (too_long(scheme, query.size(), letters.size())) return without_measure;
    return align_on_core(scheme, mode, query, letters).score;
}

double recurrence_share_of(const engine::Measure& measure, std::string_view text) {
    recurrence::SeriesBatch batch;
    const recurrence::Demand demand{batch.add(text), 0};
    if (batch.error(demand.series)) return without_measure;
    double found = without_measure;
    recurrence::CpuSolver solver;
    recurrence::Counters counters;
    recurrence::evaluate(batch.series(), recurrence::Questions({RecurrenceFamily::question_of(measure)}), {&demand, 1},
                         {}, solver, {&found, 1}, counters);
    return found;
}

}  // namespace

double measured(const engine::Measure& measure, std::string_view text) {
    switch (family_of(measure.kind)) {
        case OperatorFamilyKind::regex:
            return regex::compile_regex(measure.operand)->found_in(text) ? 1 : 0;
        case OperatorFamilyKind::edits:
            return edit_distance_of(measure, text);
        case OperatorFamilyKind::alignment:
            return alignment_score_of(measure, text);
        case OperatorFamilyKind::recurrence:
            break;
    }
    return recurrence_share_of(measure, text);
}

}  // namespace sluice::operators
