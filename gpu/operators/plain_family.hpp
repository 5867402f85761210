// Any family as the references define it: computes the measure of each text once for all predicates that compare it.
// Any thread.
#pragma once

#include "gpu/operators/family.hpp"
#include "gpu/operators/reference.hpp"

namespace sluice {

class PlainFamily final : public OperatorFamily {
public:
    explicit PlainFamily(const std::vector<MeasuredPredicate>& predicates);

    void evaluate(std::span<const std::string_view> texts, std::span<const Pair> pairs, std::span<std::uint8_t> holds,
                  OperatorWork& work) const override;
    std::size_t bytes() const override;

private:
    struct Entry {
        MeasureFunction function;
        Measure::Kind kind;
        Bounds bounds;
    };
    std::vector<Entry> entries_;
};

}  // namespace sluice
