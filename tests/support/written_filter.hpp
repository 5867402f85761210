// Filters that tests write by hand, each literal with its predicate. Any thread.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "gpu/api/predicate.hpp"

namespace sluice::testing {

struct WrittenLiteral {
    engine::Predicate predicate;
    bool negated = false;

    friend bool operator==(const WrittenLiteral&, const WrittenLiteral&) = default;
};

using WrittenConjunction = std::vector<WrittenLiteral>;  // empty: always true
using WrittenFilter = std::vector<WrittenConjunction>;   // empty: always false

// Equal predicates become one.
inline engine::Disjunction disjunction_of(const WrittenFilter& filter) {
    engine::Disjunction made;
    std::unordered_map<engine::Predicate, std::uint32_t, engine::PredicateHash> known;
    for (const WrittenConjunction& conjunction : filter) {
        engine::Conjunction& literals = made.conjunctions.emplace_back();
        for (const WrittenLiteral& literal : conjunction) {
            const auto next = static_cast<std::uint32_t>(made.predicates.size());
            const auto [entry, is_new] = known.try_emplace(literal.predicate, next);
            if (is_new) made.predicates.push_back(literal.predicate);
            literals.push_back({entry->second, literal.negated});
        }
    }
    return made;
}

// The conjunctions with their predicates.
inline WrittenFilter written(const engine::Disjunction& filter) {
    WrittenFilter made;
    for (const engine::Conjunction& conjunction : filter.conjunctions) {
        WrittenConjunction& literals = made.emplace_back();
        for (const engine::Literal& literal : conjunction)
            literals.push_back({filter.predicates[literal.predicate], literal.negated});
    }
    return made;
}

}  // namespace sluice::testing
