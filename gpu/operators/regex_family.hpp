// matches(): regular expressions, in groups that are searched for together. Any thread.
#pragma once

#include "gpu/operators/family.hpp"
#include "gpu/operators/regex/regex_group.hpp"

namespace sluice::operators {

class RegexFamily final : public OperatorFamily {
public:
    explicit RegexFamily(const std::vector<MeasuredPredicate>& predicates);

    void evaluate(std::span<const std::string_view> texts, std::span<const Pair> pairs, std::span<std::uint8_t> holds,
                  OperatorWork& work) const override;

private:
    struct Entry {
        bool if_found, if_not;  // the predicate's answer for the measure 1 and for 0
    };

    std::vector<regex::RegexGroup>
        groups_;  // predicate p is expression p % expressions_max of group p / expressions_max
    std::vector<Entry> entries_;
};

}  // namespace sluice::operators
