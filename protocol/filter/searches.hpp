// How expensive a scanned leaf can be, told from its form. pugixml can't be interrupted, so what could take a time that
// grows with a high power of the document's size is refused before it is ever evaluated. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <string_view>

#include "protocol/filter/syntax_tree.hpp"

namespace sluice::xpath {

// d, where evaluating the expression once visits at most about n^d nodes of a document of n: how deep paths that may
// visit the whole document ("//a", "following::a", "/a/b", "../a") nest in each other's predicates.
//   title = 'x'  0    count(//item) > 2  1    //item[not(title = preceding-sibling::item/title)]  2    //a = //b  2
std::size_t nested_searches(const Expression& checked);
std::size_t nested_searches(std::string_view expression);  // throws a Fault for what is none

}  // namespace sluice::xpath
