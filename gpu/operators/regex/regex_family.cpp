#include "gpu/operators/regex/regex_family.hpp"

namespace sluice {

RegexFamily::RegexFamily(const std::vector<MeasuredPredicate>& predicates) {
    entries_.reserve(predicates.size());
    for (const MeasuredPredicate& p : predicates)
        entries_.push_back({compile_regex(p.measure.operand), p.bounds.accept(1), p.bounds.accept(0)});
}

void RegexFamily::evaluate(std::span<const std::string_view> texts, std::span<const Pair> pairs,
                           std::span<std::uint8_t> holds, OperatorWork& work) const {
    OperatorWork::Kind& w = work.of(Measure::Kind::matches);
    w.pairs += pairs.size();
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const Entry& entry = entries_[pairs[i].predicate];
        holds[i] = entry.regex->found_in(texts[pairs[i].text]) ? entry.if_found : entry.if_not;
        w.holds += holds[i];
    }
}

// Of the expressions themselves little is known: the library says how much they take at most.
std::size_t RegexFamily::bytes() const { return entries_.capacity() * sizeof(Entry); }

}  // namespace sluice
