#include "gpu/operators/plain_family.hpp"

#include <cmath>

namespace sluice {

PlainFamily::PlainFamily(const std::vector<MeasuredPredicate>& predicates) {
    entries_.reserve(predicates.size());
    for (const MeasuredPredicate& p : predicates)
        entries_.push_back({reference_of(p.measure), p.measure.kind, p.bounds});
}

void PlainFamily::evaluate(std::span<const std::string_view> texts, std::span<const Pair> pairs,
                           std::span<std::uint8_t> holds, OperatorWork& work) const {
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

std::size_t PlainFamily::bytes() const { return entries_.capacity() * sizeof(Entry); }

}  // namespace sluice
