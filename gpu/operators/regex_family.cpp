#include "gpu/operators/regex_family.hpp"

namespace sluice::operators {

namespace {

constexpr std::uint32_t group_size = regex::RegexGroup::expressions_max;

}  // namespace

RegexFamily::RegexFamily(const std::vector<MeasuredPredicate>& predicates) {
    groups_.resize((predicates.size() + group_size - 1) / group_size);
    for (std::size_t p = 0; p < predicates.size(); ++p) {
        groups_[p / group_size].add(predicates[p].measure.operand);
        entries_.push_back({predicates[p].bounds.accept(1), predicates[p].bounds.accept(0)});
    }
}

void RegexFamily::evaluate(std::span<const std::string_view> texts, std::span<const Pair> pairs,
                           std::span<std::uint8_t> holds, OperatorWork& work) const {
    OperatorWork::Kind& w = work.of(engine::Measure::Kind::matches);
    PairCounter counter(work);
    for (const Pair& pair : pairs) counter.add(engine::Measure::Kind::matches, pair.text);
    std::vector<std::uint32_t> asked;
    for (std::size_t first = 0; first < pairs.size(); first += asked.size()) {
        const std::uint32_t group = pairs[first].predicate / group_size, text = pairs[first].text;
        asked.clear();
        for (std::size_t i = first; i < pairs.size() && pairs[i].text == text; ++i) {
            if (pairs[i].predicate / group_size != group) break;
            asked.push_back(pairs[i].predicate % group_size);
        }
        groups_[group].find(texts[text], asked, holds.subspan(first, asked.size()));
    }
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const Entry& entry = entries_[pairs[i].predicate];
        holds[i] = holds[i] != 0 ? entry.if_found : entry.if_not;
        w.holds += holds[i];
    }
}

}  // namespace sluice::operators
