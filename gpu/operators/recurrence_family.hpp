// Recurrence measures, by gpu/operators/recurrence. What several predicates ask of one series is computed once. Any
// thread.
#pragma once

#include "gpu/operators/family.hpp"
#include "gpu/operators/recurrence/evaluate.hpp"

namespace sluice::operators {

class RecurrenceFamily final : public OperatorFamily {
public:
    explicit RecurrenceFamily(const std::vector<MeasuredPredicate>& predicates);

    void evaluate(std::span<const std::string_view> texts, std::span<const Pair> pairs, std::span<std::uint8_t> holds,
                  OperatorWork& work) const override {
        evaluate(texts, pairs, holds, work, nullptr);
    }
    // `device` computes what it does faster; may be null.
    void evaluate(std::span<const std::string_view> texts, std::span<const Pair> pairs, std::span<std::uint8_t> holds,
                  OperatorWork& work, recurrence::Solver* device) const;
    double device_cells(std::span<const std::string_view> texts, std::span<const Pair> pairs) const override;

    static recurrence::Question question_of(const engine::Measure& measure);

private:
    struct Entry {
        engine::Measure::Kind kind;
        Bounds bounds;
    };

    struct Asked;

    bool uses_solver(std::uint32_t predicate, std::size_t points) const;
    void evaluate(const Asked& asked, const recurrence::SeriesBatch& series, recurrence::Solver& solver, bool on_device,
                  std::span<std::uint8_t> holds, OperatorWork& work) const;

    recurrence::Questions questions_;  // by predicate
    std::vector<Entry> entries_;
};

}  // namespace sluice::operators
