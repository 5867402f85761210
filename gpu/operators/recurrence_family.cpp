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

// A device computes exact answers only for lines of 2; sampled answers are sampled for any line length.
bool RecurrenceFamily::suits_device(std::uint32_t predicate, std::size_t points) const {
    const recurrence::Question& question = questions_[predicate];
    return question.measure == recurrence::Measure::recurrence_rate || question.shortest == 2 ||
           points > recurrence::Options{}.exact_points_max;
}

double RecurrenceFamily::device_cells(std::span<const std::string_view> texts, std::span<const Pair> pairs) const {
    constexpr std::size_t bytes_of_number = 8;  // approximately, including the separator
    double cells = 0;
    std::vector<std::uint32_t> asked(questions_.distinct(),
                                     std::numeric_limits<std::uint32_t>::max());  // by the last text
    for (const Pair& pair : pairs) {
        const std::size_t points = texts[pair.text].size() / bytes_of_number;
        std::uint32_t& latest = asked[questions_.distinct_of(pair.predicate)];
        if (latest == pair.text || !suits_device(pair.predicate, points)) continue;
        latest = pair.text;
        const auto n = static_cast<double>(std::min(points, recurrence::Options{}.exact_points_max));
        cells += n * n;
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
    Asked on_cpu, on_device;
    PairCounter counter(work);
    std::uint32_t text = 0, index = 0;
    for (std::uint32_t i = 0; i < pairs.size(); ++i) {
        if (i == 0 || pairs[i].text != text) index = series.add(texts[text = pairs[i].text]);
        const std::uint32_t predicate = pairs[i].predicate;
        const bool suits = device != nullptr && suits_device(predicate, series.series()[index].size());
        OperatorWork::Kind& w = counter.add(entries_[predicate].kind, text, suits);
        holds[i] = 0;
        if (series.error(index)) {
            ++w.unreadable;
            continue;
        }
        Asked& asked = suits ? on_device : on_cpu;
        asked.demands.push_back({index, predicate});
        asked.places.push_back(i);
    }
    recurrence::CpuSolver cpu;
    evaluate(on_cpu, series, cpu, false, holds, work);
    if (device != nullptr) evaluate(on_device, series, *device, true, holds, work);
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
