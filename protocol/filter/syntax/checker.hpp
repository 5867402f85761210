// Gives every expression its type, and rejects expressions that XPath does not define: unknown functions and variables,
// wrong numbers or types of arguments. Throws a Fault. Any thread.
#pragma once

#include "protocol/filter/syntax/syntax_tree.hpp"

namespace sluice::filter {

// Sets `type` in the whole tree. Missing arguments that default to the context node are written out as ".".
void check(Expression& expression);

}  // namespace sluice::filter
