// Compiles the selecting form of a filter: paths that start at the root. The names of the event's element and its
// ancestors, and the steps' predicates, become a formula. Any other path is one scanned leaf. Throws a Fault. Any
// thread.
#pragma once

#include "protocol/filter/compile/formula.hpp"
#include "protocol/filter/compile/leaves.hpp"
#include "protocol/filter/syntax/syntax_tree.hpp"

namespace sluice::filter {

// True if the event's element is in the node-set; selects(simplified) must hold.
Formula compile_selection(const Expression& simplified, Leaves& leaves);

}  // namespace sluice::filter
