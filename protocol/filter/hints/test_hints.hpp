// Hints about a test as a whole: paths that select items joined by "or", which are true for all items of a document; a
// path that looks for an item inside the item; a word alone, which is the name of an element. Pure function; any
// thread.
#pragma once

#include "protocol/filter/hints/hint_list.hpp"
#include "protocol/filter/syntax/syntax_tree.hpp"

namespace sluice::filter {

// Of a filter that does not select items.
void hint_at_test(const Expression& test, HintList& hints);

}  // namespace sluice::filter
