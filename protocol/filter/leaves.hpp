// The distinct predicates of a filter while it is being compiled. Belongs to one compilation.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "gpu/predicate.hpp"
#include "protocol/filter/filter.hpp"
#include "protocol/filter/formula.hpp"

namespace sluice::xpath {

class Leaves {
public:
    explicit Leaves(const FilterLimits& limits) : limits_(limits) {}

    const FilterLimits& limits() const { return limits_; }

    // The formula that consists of this predicate; equal predicates are one leaf. `offset`: where it stands in the
    // text.
    Formula indexed(Predicate predicate, std::size_t offset);
    Formula computed(Predicate predicate, std::size_t offset);  // throws a Fault: more than the limit
    Formula scanned(std::string key, std::string text, std::string reason, std::size_t offset);

    bool scans(const Formula& formula) const;  // true if a leaf of the formula is scanned
    const Predicate& predicate(std::size_t leaf) const { return leaves_[leaf].predicate; }

    // The leaves that the formula holds, in the order of their first appearance in the text.
    std::vector<Leaf> used_by(const Formula& formula) const;

private:
    Formula add(Leaf leaf, std::size_t offset);

    const FilterLimits limits_;
    std::size_t computed_ = 0;
    std::vector<Leaf> leaves_;
    std::vector<std::size_t> offsets_;
    std::unordered_map<Predicate, std::size_t, PredicateHash> ids_;
};

// The canonical text of a predicate that is not scanned, as a filter by itself: "price < 90", "category[contains(.,
// 'x')]".
std::string predicate_text(const Predicate& predicate);

}  // namespace sluice::xpath
