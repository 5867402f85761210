// What a segment finds out about the groups of values that events share (EventBatch::groups). Each group is evaluated
// once, however many events have it, and the result is kept for further batches, since the items of one document may
// come in many. Belongs to one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "gpu/api/event_batch.hpp"
#include "gpu/operators/family.hpp"
#include "gpu/tables/hash.hpp"
#include "gpu/tables/predicate_tables.hpp"

namespace sluice::cpu {

class SharedFindings {
public:
    struct Measured {                          // the answer of a measured predicate
        bool holds = false, left_out = false;  // as in DeferredRows
    };

    // Starts on these tables and this batch; both must stay until end_batch() or the next begin().
    void begin(const engine::PredicateTables& tables, const engine::EventBatch& batch);
    // Adds the predicates that the event's values, shared ones included, make true to an empty state.
    void evaluate(std::size_t event, engine::EventState& state);

    // The known answer of a measured predicate for a group, or null. Valid until the next note().
    const Measured* find(std::uint32_t group, std::uint32_t predicate);
    void note(std::uint32_t group, std::uint32_t predicate, Measured measured);
    // The estimated time that the family's measured predicates have taken for the group, in all batches.
    double& spent_ns(std::uint32_t group, operators::OperatorFamilyKind family) {
        return of(group).spent_ns[static_cast<std::size_t>(family)];
    }

    // Called after a batch, when all segments are done with it: drops findings if there are too many.
    void end_batch();
    std::size_t size() const { return findings_.size(); }

private:
    struct Key {
        std::uint64_t tables, group;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const {
            return engine::mix(key.tables * 0x9e3779b97f4a7c15u + key.group);
        }
    };
    struct Findings {
        bool is_evaluated = false;
        engine::Evaluated evaluated;
        std::unordered_map<std::uint32_t, Measured> measured;  // by predicate
        std::array<double, operators::operator_families> spent_ns{};
        std::uint64_t used_in = 0;  // the last batch
    };

    Findings& of(std::uint32_t group);
    void evaluate_group(std::uint32_t group, engine::EventState& state);

    const engine::PredicateTables* tables_ = nullptr;
    const engine::EventBatch* batch_ = nullptr;
    std::vector<Findings*> of_batch_;  // by group of the batch; null: not looked for yet
    std::unordered_map<Key, Findings, Hash> findings_;
    std::size_t facts_ = 0;  // of all findings
    std::uint64_t batches_ = 1;
};

}  // namespace sluice::cpu
