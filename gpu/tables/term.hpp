// Predicates in the few forms that the tables know, and the normal form of a disjunction made of them. Pure functions;
// any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "gpu/operators/family.hpp"
#include "gpu/predicate.hpp"
#include "gpu/tables/literal_code.hpp"

namespace sluice {

// A literal over names. Views point into the predicate that it was made from.
struct Term {
    Family family = Family::exists;
    bool negated = false;
    std::string_view name;  // of the attribute, or the key if scanned
    std::string_view text;
    double lo = 0, hi = 0;  // range and measured: both; number_equal, number_not_equal: lo
    bool outside = false;   // measured: as in Bounds
    const Measure* measure = nullptr;
};

// What the numeric operator accepts with the operand c; nothing if no number satisfies it.
std::optional<Bounds> bounds_of(Operator op, double c);

using Terms = std::vector<Term>;

// What is true of every event that the disjunction accepts and of no other: conjunctions that can't hold are left out,
// and in a conjunction literals that always hold. Comparisons of one attribute become one range.
std::vector<Terms> normalise(const Disjunction& filter);

}  // namespace sluice
