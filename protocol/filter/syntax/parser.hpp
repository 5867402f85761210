// Parses a filter by XPath 1.0's expression grammar (§2, §3). Of functions and variables it knows only the syntax.
// Throws a Fault. Pure function; any thread.
#pragma once

#include <cstddef>
#include <string_view>

#include "protocol/filter/syntax/syntax_tree.hpp"

namespace sluice::filter {

// `depth_max` bounds both the nesting of the text and the depth of the tree. `what`: what the text is ("filter"), for
// messages.
Expression parse(std::string_view text, std::size_t depth_max, std::string_view what = "filter");

}  // namespace sluice::filter
