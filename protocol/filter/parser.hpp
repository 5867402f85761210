// Parses a filter by XPath 1.0's expression grammar (§2, §3). Knows nothing of functions and variables but their
// syntax. Throws a Fault. Pure function; any thread.
#pragma once

#include <cstddef>
#include <string_view>

#include "protocol/filter/syntax_tree.hpp"

namespace sluice::xpath {

// `depth_max` bounds both the nesting of the text and the depth of the tree.
Expression parse(std::string_view text, std::size_t depth_max);

}  // namespace sluice::xpath
