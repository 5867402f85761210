// Alignment scores, by the lanes of gpu/operators/alignment: all pairs of a scheme together. What compares with one
// bound is only asked whether it reaches that, and only of pairs that may. Any thread.
#pragma once

#include <optional>

#include "gpu/operators/alignment/kmer_filter.hpp"
#include "gpu/operators/alignment/many.hpp"
#include "gpu/operators/family.hpp"

namespace sluice {

// Aligns the queries of the family's groups, by their index, with texts, in place of the CPU. As align_many() and
// align_reaches().
class AlignmentSolver {
public:
    virtual ~AlignmentSolver() = default;

    virtual void scores(std::size_t group, const alignment::SequenceSet& texts, std::span<const alignment::Pair> pairs,
                        std::span<std::int32_t> scores) = 0;
    virtual void reaches(std::size_t group, const alignment::SequenceSet& texts, std::span<const alignment::Pair> pairs,
                         std::span<const std::int32_t> thresholds, std::span<std::uint8_t> hits) = 0;
};

class AlignmentFamily final : public OperatorFamily {
public:
    // Predicates of one scheme and mode.
    struct Group {
        alignment::Scheme scheme;
        alignment::Mode mode;
        Measure::Kind kind;
        alignment::SequenceSet queries;
        std::vector<std::int32_t> thresholds;         // of the queries, INT32_MIN: has none
        std::size_t letters_for_all;                  // with a text of fewer, no query is too long
        std::optional<alignment::KmerFilter> filter;  // the CPU's; a device aligns faster than it would be asked
    };

    explicit AlignmentFamily(const std::vector<MeasuredPredicate>& predicates);

    void evaluate(std::span<const std::string_view> texts, std::span<const Pair> pairs, std::span<std::uint8_t> holds,
                  OperatorWork& work) const override {
        evaluate(texts, pairs, holds, work, nullptr);
    }
    // With a solver, or null.
    void evaluate(std::span<const std::string_view> texts, std::span<const Pair> pairs, std::span<std::uint8_t> holds,
                  OperatorWork& work, AlignmentSolver* solver) const;
    double device_cells(std::span<const std::string_view> texts, std::span<const Pair> pairs) const override;
    std::size_t bytes() const override;

    const std::vector<Group>& groups() const { return groups_; }

private:
    // What decides a predicate: whether the score is at least `threshold`, or what it is.
    enum class Decides : std::uint8_t { reaching, not_reaching, score };
    struct Entry {
        std::uint32_t group, query;
        std::int32_t threshold;
        Decides decides;
        Bounds bounds;
    };
    struct Asked;

    void evaluate(std::size_t group, Asked& asked, std::span<std::uint8_t> holds, OperatorWork& work,
                  AlignmentSolver* solver) const;
    static void skip_impossible(const Group& group, Asked& asked, std::span<std::uint8_t> holds, OperatorWork& work);

    std::vector<Group> groups_;
    std::vector<Entry> entries_;
};

}  // namespace sluice
