#include "gpu/operators/recurrence_family.hpp"

#include <cmath>
#include <utility>

namespace sluice {

recurrence::Question RecurrenceFamily::question_of(const Measure& m) {
    const auto measure = m.kind == Measure::Kind::laminarity    ? recurrence::Measure::laminarity
                         : m.kind == Measure::Kind::determinism ? recurrence::Measure::determinism
                                                                : recurrence::Measure::recurrence_rate;
    return {measure, m.epsilon, m.line_min};
}

RecurrenceFamily::RecurrenceFamily(const std::vector<MeasuredPredicate>& predicates) {
    std::vector<recurrence::Question> questions;
    for (const MeasuredPredicate& p : predicates) {
        questions.push_back(question_of(p.measure));
        entries_.push_back({p.measure.kind, p.bounds});
    }
    questions_ = recurrence::Questions(std::move(questions));
}

void RecurrenceFamily::evaluate(std::span<const std::string_view> texts, std::span<const Pair> pairs,
                                std::span<std::uint8_t> holds, OperatorWork& work) const {
    recurrence::SeriesBatch series;
    std::vector<recurrence::Demand> demands;
    std::vector<std::uint32_t> places;  // of the demands, in pairs
    std::uint32_t text = 0, index = 0;
    for (std::uint32_t i = 0; i < pairs.size(); ++i) {
        if (i == 0 || pairs[i].text != text) index = series.add(texts[text = pairs[i].text]);
        OperatorWork::Kind& w = work.of(entries_[pairs[i].predicate].kind);
        ++w.pairs;
        holds[i] = 0;
        if (series.error(index)) {
            ++w.unreadable;
            continue;
        }
        demands.push_back({index, pairs[i].predicate});
        places.push_back(i);
    }
    if (demands.empty()) return;

    std::vector<double> values(demands.size());
    recurrence::Counters counters;
    recurrence::CpuSolver solver;
    recurrence::evaluate(series.series(), questions_, demands, {}, solver, values, counters);
    for (std::size_t d = 0; d < demands.size(); ++d) {
        const Entry& entry = entries_[demands[d].question];
        OperatorWork::Kind& w = work.of(entry.kind);
        const bool holding = !std::isnan(values[d]) && entry.bounds.accept(values[d]);
        w.unreadable += std::isnan(values[d]);
        w.holds += holding;
        holds[places[d]] = holding;
    }
    // One pass answers several kinds; it is counted for the first that asked.
    work.of(entries_[demands.front().question].kind).cells += counters.cells;
}

std::size_t RecurrenceFamily::bytes() const { return questions_.bytes() + entries_.capacity() * sizeof(Entry); }

}  // namespace sluice
