// Distinct (attribute, measure, bounds) by dense index: the predicates that operators decide, and the families that
// evaluate them. Built by one thread; after freeze() read-only for any thread.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/operators/cost.hpp"
#include "gpu/operators/device_family.hpp"
#include "gpu/operators/family.hpp"
#include "gpu/tables/hash.hpp"

namespace sluice::engine {

class OperatorTable {
public:
    std::uint32_t intern(std::uint32_t attribute, const Measure& measure, const operators::Bounds& bounds);
    // `devices`, which the families may use (gpu/operators/device_family.hpp), may be null.
    void freeze(const std::shared_ptr<operators::OperatorDevices>& devices = nullptr);

    std::uint32_t size() const { return static_cast<std::uint32_t>(entries_.size()); }
    std::uint32_t attribute(std::uint32_t index) const { return entries_[index].attribute; }
    const Measure& measure(std::uint32_t index) const { return entries_[index].measure; }
    const operators::Bounds& bounds(std::uint32_t index) const { return entries_[index].bounds; }
    operators::OperatorFamilyKind family(std::uint32_t index) const {
        return operators::family_of(measure(index).kind);
    }
    operators::OperatorCost cost(std::uint32_t index) const { return entries_[index].cost; }
    // The first predicate that is computed from a text together with this one at no extra cost; itself if none is.
    std::uint32_t computed_with(std::uint32_t index) const { return entries_[index].computed_with; }

    // Null if no predicate belongs to that family.
    const operators::OperatorFamily* family(operators::OperatorFamilyKind kind) const {
        return families_[static_cast<std::size_t>(kind)].get();
    }
    // The index of a predicate within its family.
    std::uint32_t index_in_family(std::uint32_t index) const { return entries_[index].index_in_family; }

private:
    struct Entry {
        Measure measure;
        operators::Bounds bounds;
        std::uint32_t attribute, index_in_family, computed_with;
        operators::OperatorCost cost;
    };

    static std::uint64_t hash(std::uint32_t attribute, const Measure& measure, const operators::Bounds& bounds);
    void find_computed_together();

    std::vector<Entry> entries_;
    HashIndex index_;
    std::array<std::unique_ptr<const operators::OperatorFamily>, operators::operator_families> families_;
};

}  // namespace sluice::engine
