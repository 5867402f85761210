// Builds the index that scanned conditions are evaluated on from a document's tree. It follows the XPath data model:
// adjacent text and CDATA sections are one text node, namespace declarations are not attributes. Pure functions; any
// thread.
#pragma once

#include <cstdint>
#include <vector>

#include "protocol/feed/model/document.hpp"
#include "protocol/feed/model/pugi_tree.hpp"
#include "protocol/filter/evaluator/document_index.hpp"
#include "protocol/filter/evaluator/meter.hpp"

namespace sluice::feed {

struct TreeIndex {
    PugiTree tree;
    xpath::DocumentIndex nodes;      // points into the tree
    std::vector<xpath::Node> items;  // the nodes of the document's items, in their order
};

// Spends steps for each node. The index takes over the memory of `spare`. Throws xpath::OverBudget, and what the
// meter's hook throws.
TreeIndex index_tree(const Document& document, xpath::Meter& meter, xpath::DocumentIndex spare = {});

// The same of this tree of the document. Also sets elements[node] to the element of each node of the index; null for
// nodes that are no elements.
xpath::DocumentIndex index_elements(const Document& document, const PugiTree& tree, std::vector<TreeNode>& elements,
                                    xpath::Meter& meter);

}  // namespace sluice::feed
