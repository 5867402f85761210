// Alignment scores, by the lanes of gpu/operators/alignment: all pairs of a scheme together. What compares with one
// bound is only asked whether it reaches that. Any thread.
#pragma once

#include "gpu/operators/alignment/many.hpp"
#include "gpu/operators/family.hpp"

namespace sluice {

class AlignmentFamily final : public OperatorFamily {
public:
    explicit AlignmentFamily(const std::vector<MeasuredPredicate>& predicates);

    void evaluate(std::span<const std::string_view> texts, std::span<const Pair> pairs, std::span<std::uint8_t> holds,
                  OperatorWork& work) const override;
    std::size_t bytes() const override;

private:
    // Predicates of one scheme and mode.
    struct Group {
        alignment::Scheme scheme;
        alignment::Mode mode;
        Measure::Kind kind;
        alignment::SequenceSet queries;
    };
    struct Entry {
        std::uint32_t group, query;
        Bounds bounds;
    };
    struct Asked;

    void evaluate(const Group& group, const Asked& asked, std::span<std::uint8_t> holds, OperatorWork& work) const;

    std::vector<Group> groups_;
    std::vector<Entry> entries_;
};

}  // namespace sluice
