// Edit distances, by the pattern sets of gpu/operators/edits. For each cost table and extent there is one set of
// patterns with a distance limit, which only decides whether texts are within it, and one of patterns whose exact
// distance is needed. Any thread.
#pragma once

#include <deque>
#include <string>

#include "gpu/operators/edits/edits.hpp"
#include "gpu/operators/family.hpp"

namespace sluice::operators {

// Computes distances of the family's sets, by index, in place of the CPU. The same contract as edits::PatternSet.
class EditsSolver {
public:
    virtual ~EditsSolver() = default;

    virtual void decide(std::size_t set, std::span<const std::string_view> texts, std::span<const edits::Pair> pairs,
                        std::span<std::uint8_t> within, edits::Counters& counters) = 0;
    virtual void distances(std::size_t set, std::span<const std::string_view> texts, std::span<const edits::Pair> pairs,
                           std::span<std::uint32_t> distances, edits::Counters& counters) = 0;
};

class EditsFamily final : public OperatorFamily {
public:
    explicit EditsFamily(const std::vector<MeasuredPredicate>& predicates);

    void evaluate(std::span<const std::string_view> texts, std::span<const Pair> pairs, std::span<std::uint8_t> holds,
                  OperatorWork& work) const override {
        evaluate(texts, pairs, holds, work, nullptr);
    }
    // `solver` may be null.
    void evaluate(std::span<const std::string_view> texts, std::span<const Pair> pairs, std::span<std::uint8_t> holds,
                  OperatorWork& work, EditsSolver* solver) const;
    double device_cells(std::span<const std::string_view> texts, std::span<const Pair> pairs) const override;

    // A set, as another processor needs to know it.
    struct Description {
        std::vector<edits::Pattern> patterns;  // views into the family
        edits::Extent extent;
        edits::CostTable costs;
    };
    std::size_t sets() const { return sets_.size(); }
    const Description& description(std::size_t set) const { return sets_[set].description; }

private:
    struct Set {
        Description description;
        edits::PatternSet patterns;
        engine::Measure::Kind kind;
        bool decides;  // decides whether distances are within the patterns' k, instead of computing them
    };
    struct Entry {
        std::uint32_t set, pattern;
        bool flipped;  // holds if the distance is not within k
        Bounds bounds;
    };
    struct Asked {
        std::vector<edits::Pair> pairs;
        std::vector<std::uint32_t> places;  // the pairs' places among the call's pairs
    };

    void evaluate(std::size_t set, std::span<const std::string_view> texts, const Asked& asked,
                  std::span<const Pair> pairs, std::span<std::uint8_t> holds, OperatorWork& work,
                  EditsSolver* solver) const;

    std::deque<std::string> operands_;  // of the descriptions
    std::vector<Set> sets_;
    std::vector<Entry> entries_;
};

}  // namespace sluice::operators
