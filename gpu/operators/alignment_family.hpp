// Alignment scores, computed by the lanes of gpu/operators/alignment for all pairs of a scheme together. A predicate
// with one bound is only asked whether the score reaches it, and only for pairs that may. Any thread.
#pragma once

#include <optional>

#include "gpu/operators/alignment/kmer_filter.hpp"
#include "gpu/operators/alignment/many.hpp"
#include "gpu/operators/family.hpp"

namespace sluice::operators {

// Aligns the queries of the family's groups, given by index, with texts, in place of the CPU. As align_many() and
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
        engine::Measure::Kind kind;
        alignment::SequenceSet queries;
        std::vector<std::int32_t> thresholds;         // by query; INT32_MIN: none
        std::size_t letters_for_all;                  // with a text of fewer letters, no query is too long
        std::optional<alignment::KmerFilter> filter;  // for the CPU; a device aligns faster than this answers
    };

    explicit AlignmentFamily(const std::vector<MeasuredPredicate>& predicates);

    void evaluate(std::span<const std::string_view> texts, std::span<const Pair> pairs, std::span<std::uint8_t> holds,
                  OperatorWork& work) const override {
        evaluate(texts, pairs, holds, work, nullptr);
    }
    // `solver` may be null.
    void evaluate(std::span<const std::string_view> texts, std::span<const Pair> pairs, std::span<std::uint8_t> holds,
                  OperatorWork& work, AlignmentSolver* solver) const;
    double device_cells(std::span<const std::string_view> texts, std::span<const Pair> pairs) const override;

    const std::vector<Group>& groups() const { return groups_; }

private:
    // What decides a predicate: whether the score is at least `threshold`, whether it is less, or the score itself.
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

}  // namespace sluice::operators
