// Predicates in the few forms that the tables know, and the normal form of a disjunction of them. Pure functions; any
// thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "gpu/api/predicate.hpp"
#include "gpu/operators/family.hpp"
#include "gpu/tables/literal_code.hpp"

namespace sluice::engine {

// A predicate over names. Views point into the predicate that it was made from.
struct Term {
    Family family = Family::exists;
    std::string_view name;  // of the attribute, or the key if scanned
    std::string_view text;
    double lo = 0, hi = 0;  // both for range and measured; only lo for number_equal and number_not_equal
    bool outside = false;   // measured: as in Bounds
    const Measure* measure = nullptr;
    const std::shared_ptr<const ScannedCondition>* condition = nullptr;  // if scanned; null if made from a table
};

// The numbers that the numeric operator accepts with operand c; empty if no number satisfies it.
std::optional<operators::Bounds> bounds_of(Operator op, double c);

// A disjunction of terms. Each is in some conjunction; two may be equal, if two predicates were or have become so.
struct NormalForm {
    std::vector<Term> terms;
    std::vector<Conjunction> conjunctions;  // of indexes of `terms`
};

// An equivalent disjunction in normal form: impossible conjunctions and literals that always hold are left out, and
// comparisons of one attribute are combined into one range. A conjunction that no literal leads to, but which only
// holds where an attribute has a value (`!=`, measured literals), has the literal that it exists. Linear in the number
// of predicates and literals. The filter must be valid (invalid_reason()).
NormalForm normalise(const Disjunction& filter);

}  // namespace sluice::engine
