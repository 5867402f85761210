// Compiles a boolean expression to a formula: which leaf is which predicate. Throws a Fault. Any thread.
#pragma once

#include <cstddef>

#include "protocol/filter/formula.hpp"
#include "protocol/filter/leaves.hpp"
#include "protocol/filter/syntax_tree.hpp"

namespace sluice::xpath {

// boolean(expression) with the node `parents` levels above the event's element as context node.
Formula compile_test(const Expression& simplified, std::size_t parents, Leaves& leaves);

// The node test, of the element that is `parents` levels above the event's element, or of the document node or nothing
// at all where there is no such element: they are named "".
Formula compile_node_test(const NodeTest& test, std::size_t parents, std::size_t offset, Leaves& leaves);

}  // namespace sluice::xpath
