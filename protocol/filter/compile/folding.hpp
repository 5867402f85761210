// Constant folding. Pure function; any thread.
#pragma once

#include "protocol/filter/syntax/syntax_tree.hpp"

namespace sluice::filter {

// Evaluates an operator or function whose operands are all constant, with the evaluator of scanned conditions, so that
// folding never changes the meaning. Throws a Fault if that takes too long.
Expression fold(const Expression& expression);

}  // namespace sluice::filter
