// Distinct (attribute, measure, bounds) by dense index: the predicates that the operators decide, and the families that
// do it. Built by one thread; after freeze() read-only for any.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/operators/cost.hpp"
#include "gpu/operators/family.hpp"
#include "gpu/tables/hash.hpp"

namespace sluice {

class OperatorTable {
public:
    std::uint32_t intern(std::uint32_t attribute, const Measure& measure, const Bounds& bounds);
    // With devices, or null: for the families to use (gpu/operators/device_family.hpp).
    void freeze(const std::shared_ptr<OperatorDevices>& devices = nullptr);

    std::uint32_t size() const { return static_cast<std::uint32_t>(entries_.size()); }
    std::uint32_t attribute(std::uint32_t index) const { return entries_[index].attribute; }
    const Measure& measure(std::uint32_t index) const { return entries_[index].measure; }
    const Bounds& bounds(std::uint32_t index) const { return entries_[index].bounds; }
    OperatorFamilyKind family(std::uint32_t index) const { return family_of(measure(index).kind); }
    OperatorCost cost(std::uint32_t index) const { return entries_[index].cost; }
    // The first predicate that is computed of a text together with this one, for nothing more; itself, if none is.
    std::uint32_t computed_with(std::uint32_t index) const { return entries_[index].computed_with; }

    // Null where no predicate is of that family; and the index that a predicate has in its family.
    const OperatorFamily* family(OperatorFamilyKind kind) const {
        return families_[static_cast<std::size_t>(kind)].get();
    }
    std::uint32_t index_in_family(std::uint32_t index) const { return entries_[index].index_in_family; }

    std::size_t bytes() const;

private:
    struct Entry {
        Measure measure;
        Bounds bounds;
        std::uint32_t attribute, index_in_family, computed_with;
        OperatorCost cost;
    };

    static std::uint64_t hash(std::uint32_t attribute, const Measure& measure, const Bounds& bounds);
    void find_computed_together();

    std::vector<Entry> entries_;
    HashIndex index_;
    std::array<std::unique_ptr<const OperatorFamily>, operator_families> families_;
};

}  // namespace sluice
