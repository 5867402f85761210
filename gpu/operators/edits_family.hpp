// Edit distances, by the sets of gpu/operators/approximate: one for each cost table and extent, of patterns with the
// distance that decides them, and one of patterns whose distance itself is needed. Any thread.
#pragma once

#include "gpu/operators/approximate/approximate.hpp"
#include "gpu/operators/family.hpp"

namespace sluice {

class EditsFamily final : public OperatorFamily {
public:
    explicit EditsFamily(const std::vector<MeasuredPredicate>& predicates);

    void evaluate(std::span<const std::string_view> texts, std::span<const Pair> pairs, std::span<std::uint8_t> holds,
                  OperatorWork& work) const override;
    std::size_t bytes() const override { return bytes_; }

private:
    struct Set {
        approximate::PatternSet patterns;
        Measure::Kind kind;
        bool decides;  // whether distances are within the patterns' k, instead of what they are
    };
    struct Entry {
        std::uint32_t set, pattern;
        bool flipped;  // holds where the distance is not within k
        Bounds bounds;
    };

    void evaluate(const Set& set, std::span<const std::string_view> texts, std::span<const approximate::Pair> asked,
                  std::span<const std::uint32_t> places, std::span<const Pair> pairs, std::span<std::uint8_t> holds,
                  OperatorWork& work) const;

    std::vector<Set> sets_;
    std::vector<Entry> entries_;
    std::size_t bytes_ = 0;
};

}  // namespace sluice
