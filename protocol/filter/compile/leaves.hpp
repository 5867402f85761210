// The distinct predicates of a filter while it is being compiled. Belongs to one compilation.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "gpu/api/predicate.hpp"
#include "protocol/filter/compile/compiled_filter.hpp"
#include "protocol/filter/compile/formula.hpp"

namespace sluice::filter {

class Leaves {
public:
    explicit Leaves(const FilterLimits& limits) : limits_(limits) {}

    const FilterLimits& limits() const { return limits_; }

    // The formula that is true where the predicate is. Equal predicates share a leaf. A predicate that holds where its
    // path leads to no node becomes a negated one that does not (missing.hpp). `offset` is the predicate's position in
    // the text.
    Formula indexed(engine::Predicate predicate, std::size_t offset);
    Formula computed(engine::Predicate predicate, std::size_t offset);  // throws a Fault above the limit
    struct Scanned {
        std::string key, text, reason, cost;
        bool shared = false;
        std::shared_ptr<const engine::ScannedCondition> condition;
    };
    Formula scanned(Scanned leaf, std::size_t offset);

    bool scans(const Formula& formula) const;  // true if a leaf of the formula is scanned
    std::size_t size() const { return leaves_.size(); }
    const Leaf& operator[](std::size_t leaf) const { return leaves_[leaf]; }

    // The indexes of the formula's leaves, in order of their first appearance in the text.
    std::vector<std::size_t> used_by(const Formula& formula) const;

private:
    Formula add_indexed(engine::Predicate predicate, std::size_t offset);
    Formula add(Leaf leaf, std::size_t offset);

    const FilterLimits limits_;
    std::size_t computed_ = 0;
    std::vector<Leaf> leaves_;
    std::vector<std::size_t> offsets_;
    std::unordered_map<engine::Predicate, std::size_t, engine::PredicateHash> ids_;
};

// The canonical text of a predicate that is not scanned, as a filter on its own: "price < 90", "category[contains(.,
// 'x')]".
std::string predicate_text(const engine::Predicate& predicate);

}  // namespace sluice::filter
