// matches(): regular expressions, in groups that can be searched for together. Any thread.
#pragma once

#include "gpu/operators/family.hpp"
#include "gpu/operators/regex/regex_group.hpp"

namespace sluice {

class RegexFamily final : public OperatorFamily {
public:
    explicit RegexFamily(const std::vector<MeasuredPredicate>& predicates);

    void evaluate(std::span<const std::string_view> texts, std::span<const Pair> pairs, std::span<std::uint8_t> holds,
                  OperatorWork& work) const override;
    std::size_t bytes() const override;

private:
    struct Entry {
        bool if_found, if_not;  // what the predicate says of 1 and of 0
    };

    std::vector<RegexGroup> groups_;  // predicate p is expression p % expressions_max of group p / expressions_max
    std::vector<Entry> entries_;
};

}  // namespace sluice
