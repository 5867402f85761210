// Brings a checked expression to its canonical form: constants folded, abbreviations used, constants on the right of
// comparisons, operands whose order means nothing sorted by their text, conversions that change nothing dropped. The
// meaning stays exactly what it was. Throws a Fault; any thread.
#pragma once

#include "protocol/filter/syntax_tree.hpp"

namespace sluice::xpath {

Expression simplify(Expression expression);

// True if the expression is the selecting form of a filter: paths that start at the root, one or more joined by '|'.
bool selects(const Expression& expression);

}  // namespace sluice::xpath
