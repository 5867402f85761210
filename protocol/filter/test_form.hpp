// Compiles a boolean expression to a formula: which leaf is which predicate. Throws a Fault. Any thread.
#pragma once

#include <cstddef>

#include "protocol/filter/formula.hpp"
#include "protocol/filter/leaves.hpp"
#include "protocol/filter/syntax_tree.hpp"

namespace sluice {

// boolean(expression) with the node `parents` levels above the event's element as context node.
Formula compile_test(const Expression& simplified, std::size_t parents, Leaves& leaves);

}  // namespace sluice
