// Any family as the references define it, for comparison with all others: computes the measure of each text anew for
// each predicate. Any thread.
#pragma once

#include <cmath>
#include <vector>

#include "gpu/operators/family.hpp"
#include "gpu/operators/reference.hpp"

namespace sluice::operators {

class PlainFamily final : public OperatorFamily {
public:
    explicit PlainFamily(const std::vector<MeasuredPredicate>& predicates) {
        for (const MeasuredPredicate& p : predicates)
            entries_.push_back({reference_of(p.measure), p.measure.kind, p.bounds});
    }

    void evaluate(std::span<const std::string_view> texts, std::span<const Pair> pairs, std::span<std::uint8_t> holds,
                  OperatorWork& work) const override {
        PairCounter counter(work);
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            const Entry& entry = entries_[pairs[i].predicate];
            const double measure = entry.function(texts[pairs[i].text]);
            OperatorWork::Kind& w = counter.add(entry.kind, pairs[i].text);
            w.unreadable += std::isnan(measure);
            holds[i] = !std::isnan(measure) && entry.bounds.accept(measure);
            w.holds += holds[i];
        }
    }

private:
    struct Entry {
        MeasureFunction function;
        engine::Measure::Kind kind;
        Bounds bounds;
    };
    std::vector<Entry> entries_;
};

}  // namespace sluice::operators
