// Sets of nodes: distinct numbers in ascending order, which is document order. One thread.
#pragma once

#include <memory_resource>
#include <vector>

#include "protocol/filter/evaluator/document_index.hpp"
#include "protocol/filter/evaluator/meter.hpp"

namespace sluice::xpath {

using NodeSet = std::pmr::vector<Node>;

// Turns a list of nodes in any order into a set, in time proportional to its length and to the document's.
void sort_nodes(NodeSet& nodes, Meter& meter);

}  // namespace sluice::xpath
