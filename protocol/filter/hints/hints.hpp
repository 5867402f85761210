// Hints about filters that are valid, but can never match or almost surely do not mean what they say: quotes forgotten,
// comparisons chained, a path to a node inside an item. Pure function; any thread.
#pragma once

#include <string_view>
#include <vector>

#include "protocol/filter/syntax/filter_error.hpp"
#include "protocol/filter/syntax/syntax_tree.hpp"

namespace sluice::filter {

// Of the checked tree, before it is simplified; `text` is what it was parsed from. Sorted by
// position. Takes time linear in the filter.
std::vector<Hint> find_hints(const Expression& checked, std::string_view text);

}  // namespace sluice::filter
