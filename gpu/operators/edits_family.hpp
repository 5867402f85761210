// Edit distances, by the sets of gpu/operators/approximate: one for each cost table and extent, of patterns with the
// distance that decides them, and one of patterns whose distance itself is needed. Any thread.
#pragma once

#include <deque>
#include <string>

#include "gpu/operators/approximate/approximate.hpp"
#include "gpu/operators/family.hpp"

namespace sluice {

// Computes distances of the family's sets, by their index, in place of the CPU's. As approximate::PatternSet.
class EditsSolver {
public:
    virtual ~EditsSolver() = default;

    virtual bool takes(std::size_t set) const = 0;
    virtual void decide(std::size_t set, std::span<const std::string_view> texts,
                        std::span<const approximate::Pair> pairs, std::span<std::uint8_t> within,
                        approximate::Counters& counters) = 0;
    virtual void distances(std::size_t set, std::span<const std::string_view> texts,
                           std::span<const approximate::Pair> pairs, std::span<std::uint32_t> distances,
                           approximate::Counters& counters) = 0;
};

class EditsFamily final : public OperatorFamily {
public:
    explicit EditsFamily(const std::vector<MeasuredPredicate>& predicates);

    void evaluate(std::span<const std::string_view> texts, std::span<const Pair> pairs, std::span<std::uint8_t> holds,
                  OperatorWork& work) const override {
        evaluate(texts, pairs, holds, work, nullptr);
    }
    // With a solver, or null, for those sets that it takes.
    void evaluate(std::span<const std::string_view> texts, std::span<const Pair> pairs, std::span<std::uint8_t> holds,
                  OperatorWork& work, EditsSolver* solver) const;
    double device_cells(std::span<const std::string_view> texts, std::span<const Pair> pairs) const override;
    std::size_t bytes() const override { return bytes_; }

    // What another processor needs to know of a set.
    struct Description {
        std::vector<approximate::Pattern> patterns;  // views into the family
        approximate::Extent extent;
        approximate::CostTable costs;
    };
    std::size_t sets() const { return sets_.size(); }
    const Description& description(std::size_t set) const { return sets_[set].description; }

private:
    struct Set {
        Description description;
        approximate::PatternSet patterns;
        Measure::Kind kind;
        bool decides;  // whether distances are within the patterns' k, instead of what they are
    };
    struct Entry {
        std::uint32_t set, pattern;
        bool flipped;  // holds where the distance is not within k
        Bounds bounds;
    };
    struct Asked {
        std::vector<approximate::Pair> pairs;
        std::vector<std::uint32_t> places;  // of these, in the call's pairs
    };

    void evaluate(std::size_t set, std::span<const std::string_view> texts, const Asked& asked,
                  std::span<const Pair> pairs, std::span<std::uint8_t> holds, OperatorWork& work,
                  EditsSolver* solver) const;

    std::deque<std::string> operands_;  // of the descriptions
    std::vector<Set> sets_;
    std::vector<Entry> entries_;
    std::size_t bytes_ = 0;
};

}  // namespace sluice
