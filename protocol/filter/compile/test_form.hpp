// Compiles a boolean expression to a formula over predicates. Throws a Fault. Any thread.
#pragma once

#include <cstddef>

#include "protocol/filter/compile/formula.hpp"
#include "protocol/filter/compile/leaves.hpp"
#include "protocol/filter/syntax/syntax_tree.hpp"

namespace sluice::filter {

// boolean(expression). The context node is `parents` levels above the event's element.
Formula compile_test(const Expression& simplified, std::size_t parents, Leaves& leaves);

// The node test for the element `parents` levels above the event's element. Where there is no such element, the
// document node, or nothing, takes its place; both are named "".
Formula compile_node_test(const NodeTest& test, std::size_t parents, std::size_t offset, Leaves& leaves);

}  // namespace sluice::filter
