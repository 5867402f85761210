// Estimates from its form how expensive a scanned condition can be. The meter stops evaluations that take too long, but
// a condition whose time could grow with a high power of the document's size is rejected before it is ever evaluated.
// Pure functions; any thread.
#pragma once

#include <cstddef>
#include <string>

#include "protocol/filter/syntax/syntax_tree.hpp"

namespace sluice::filter {

// The smallest d such that one evaluation takes about n^d steps at most in a document of n nodes: the nesting depth of
// paths that may visit the whole document ("//a", "following::a", "/a/b", "../a") in each other's predicates. Parts
// with the same value for all nodes are evaluated once and do not count as nested. Comparisons do not multiply their
// sides.
//   title = 'x'  0    count(//item) > 2  1    //a = //b  1    //item[not(title = preceding-sibling::item/title)]  2
std::size_t nested_searches(const Expression& checked);

// Whether the value depends on the context node.
bool reads_context(const Expression& checked);

// "about n^2 steps for a document of n nodes". `shared`: the answer is the same for all items of a document.
std::string cost_in_words(const Expression& checked, bool shared);

}  // namespace sluice::filter
