// Distinct (attribute, number) pairs by dense index: the operands of number_equal and of number_not_equal. -0 and +0
// are the same number; NaN is never an operand. Built by one thread; then read-only for any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/tables/hash.hpp"

namespace sluice::engine {

class NumberTable {
public:
    std::uint32_t intern(std::uint32_t attribute, double number);
    std::uint32_t find(std::uint32_t attribute, double number) const;  // none if absent

    std::uint32_t size() const { return static_cast<std::uint32_t>(entries_.size()); }
    std::uint32_t attribute(std::uint32_t index) const { return entries_[index].attribute; }
    double number(std::uint32_t index) const { return entries_[index].number; }
    const HashIndex& index() const { return index_; }
    void shrink() { entries_.shrink_to_fit(); }

private:
    struct Entry {
        double number;
        std::uint32_t attribute;
    };
    static std::uint64_t hash(std::uint32_t attribute, double number);

    std::vector<Entry> entries_;
    HashIndex index_;
};

}  // namespace sluice::engine
