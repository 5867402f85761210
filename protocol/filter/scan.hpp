// Leaves that no index holds: pugixml evaluates them for each event. Throws a Fault for what pugixml can't evaluate
// either. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <string>

#include "protocol/filter/leaves.hpp"
#include "protocol/filter/syntax_tree.hpp"

namespace sluice::xpath {

// The boolean value of the expression, with the node `parents` levels above the event's element as context node.
Formula scan_test(const Expression& simplified, std::size_t parents, Leaves& leaves);

// Whether the event's element is in the node-set of the path.
Formula scan_selection(const Expression& simplified, Leaves& leaves);

}  // namespace sluice::xpath
