// Hints about comparisons that are always or never true, or that compare something else than it seems. Pure function;
// any thread.
#pragma once

#include "protocol/filter/hints/hint_list.hpp"
#include "protocol/filter/syntax/syntax_tree.hpp"

namespace sluice::filter {

// Adds at most one. `dot_is_time`: as in times.hpp.
void hint_at_comparison(const Expression& comparison, bool dot_is_time, HintList& hints);

// Of text functions: contains(title, news), contains($published, '2024').
void hint_at_search(const Expression& call, HintList& hints);

}  // namespace sluice::filter
