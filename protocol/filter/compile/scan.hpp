// Compiles leaves that have no index and are evaluated for each event that needs them. Throws a Fault for expressions
// that can't be evaluated this way. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <memory>

#include "protocol/filter/compile/leaves.hpp"
#include "protocol/filter/evaluator/condition.hpp"
#include "protocol/filter/syntax/syntax_tree.hpp"

namespace sluice::filter {

// The boolean value of the expression. The context node is `parents` levels above the event's element.
Formula scan_test(const Expression& simplified, std::size_t parents, Leaves& leaves);

// Whether the event's element is in the node-set of the path.
Formula scan_selection(const Expression& simplified, Leaves& leaves);

// A path on its own. Throws a Fault if it has variables, or is not a path.
std::shared_ptr<const xpath::Condition> scan_path(const Expression& simplified, const FilterLimits& limits);

}  // namespace sluice::filter
