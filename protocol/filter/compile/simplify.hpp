// Brings a checked expression to its canonical form: folds constants, reads dates that times are compared with, uses
// abbreviations, moves constants to the right of comparisons, sorts operands whose order does not matter by their text,
// and drops redundant conversions. The meaning stays exactly the same. Throws a Fault; any thread.
#pragma once

#include "protocol/filter/syntax/syntax_tree.hpp"

namespace sluice::filter {

// `dot_is_time`: as in times.hpp.
Expression simplify(Expression expression, bool dot_is_time = false);

// True if the expression is the selecting form of a filter: one or more paths from the root, joined by '|'.
bool selects(const Expression& expression);

}  // namespace sluice::filter
