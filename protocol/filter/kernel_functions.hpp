// Checks the calls of functions that need an operator of the engine: regular expressions, approximate matching,
// alignment, recurrence analysis. This build has none of these operators, so a right call is refused too, in words of
// its own. Pure functions; any thread.
#pragma once

#include "protocol/filter/syntax_tree.hpp"

namespace sluice::xpath {

bool is_kernel_call(const Expression& expression);

// Throws a Fault if an argument is wrong: not constant where it must be, out of range, an unknown scheme.
void check_kernel_call(const Expression& simplified);

// For a call in its right place: checked, then refused as not available.
[[noreturn]] void refuse_kernel_call(const Expression& simplified);

}  // namespace sluice::xpath
