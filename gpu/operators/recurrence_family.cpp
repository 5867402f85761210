#include "gpu/operators/recurrence_family.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace sluice::operators {

recurrence::Question RecurrenceFamily::question_of(const engine::Measure& m) {
    const auto measure = m.kind == engine::Measure::Kind::laminarity    ? recurrence::Measure::laminarity
                         : m.kind == engine::Measure::Kind::determinism ? recurrence::Measure::determinism
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

// What is found by sorting is not asked of a solver.
bool RecurrenceFamily::uses_solver(std::uint32_t predicate, std::size_t points) const {
    return points <= recurrence::Options{}.exact_points_max || points > recurrence::exact_points(questions_[predicate]);
}

// Only determinism needs the cells of the matrix. The other measures cost the CPU about as much as this many cells for
// each value.
double RecurrenceFamily::device_cells(std::span<const std::string_view> texts, std::span<const Pair> pairs) const {
    constexpr std::size_t bytes_of_number = 8;  // approximately, including the separator
    constexpr std::size_t cells_of_sorted_value = 128;
    double cells = 0;
    std::vector<std::uint32_t> asked(questions_.distinct(),
                                     std::numeric_limits<std::uint32_t>::max());  // by the last text
    for (const Pair& pair : pairs) {
        const std::size_t points = texts[pair.text].size() / bytes_of_number;
        std::uint32_t& latest = asked[questions_.distinct_of(pair.predicate)];
        if (latest == pair.text || !uses_solver(pair.predicate, points)) continue;
        latest = pair.text;
        const std::size_t n = std::min(points, recurrence::Options{}.exact_points_max);
        const bool is_sorted = questions_[pair.predicate].measure != recurrence::Measure::determinism;
        cells += static_cast<double>(n) * static_cast<double>(is_sorted ? std::min(n, cells_of_sorted_value) : n);
    }
    return cells;
}

struct RecurrenceFamily::Asked {
    std::vector<recurrence::Demand> demands;
    std::vector<std::uint32_t> places;  // the demands' places among the call's pairs
};

void RecurrenceFamily::evaluate(std::span<const std::string_view> texts, std::span<const Pair> pairs,
                                std::span<std::uint8_t> holds, OperatorWork& work, recurrence::Solver* device) const {
    recurrence::SeriesBatch series;
    Asked asked;
    PairCounter counter(work);
    std::uint32_t text = 0, index = 0;
    for (std::uint32_t i = 0; i < pairs.size(); ++i) {
        if (i == 0 || pairs[i].text != text) index = series.add(texts[text = pairs[i].text]);
        const std::uint32_t predicate = pairs[i].predicate;
        const bool on_device = device != nullptr && uses_solver(predicate, series.series()[index].size());
        OperatorWork::Kind& w = counter.add(entries_[predicate].kind, text, on_device);
        holds[i] = 0;
        if (series.error(index)) {
            ++w.unreadable;
            continue;
        }
        asked.demands.push_back({index, predicate});
        asked.places.push_back(i);
    }
    recurrence::CpuSolver cpu;
    evaluate(asked, series, device != nullptr ? *device : cpu, device != nullptr, holds, work);
}

void RecurrenceFamily::evaluate(const Asked& asked, const recurrence::SeriesBatch& series, recurrence::Solver& solver,
                                bool on_device, std::span<std::uint8_t> holds, OperatorWork& work) const {
    if (asked.demands.empty()) return;
    std::vector<double> values(asked.demands.size());
    recurrence::Counters counters;
    recurrence::evaluate(series.series(), questions_, asked.demands, {}, solver, values, counters);
    for (std::size_t d = 0; d < asked.demands.size(); ++d) {
        const Entry& entry = entries_[asked.demands[d].question];
        OperatorWork::Kind& w = work.of(entry.kind);
        const bool holding = !std::isnan(values[d]) && entry.bounds.accept(values[d]);
        w.unreadable += std::isnan(values[d]);
        w.holds += holding;
        holds[asked.places[d]] = holding;
    }
    // One pass answers several kinds; the cells are counted for the first of them.
    OperatorWork::Kind& w = work.of(entries_[asked.demands.front().question].kind);
    w.cells += counters.cells;
    if (on_device) w.on_device.cells += counters.cells;
}

}  // namespace sluice::operators
