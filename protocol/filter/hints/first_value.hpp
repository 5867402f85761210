// Recognises what is easily misunderstood where a path or variable often has several values: functions that read the
// first one, contains($category, 'x'), and $category != 'x', which holds for any of them. Pure functions; any thread.
#pragma once

#include <string>

#include "protocol/filter/syntax/syntax_tree.hpp"

namespace sluice::filter {

// Of a call or a comparison: if it reads the first value of a path or variable that often has several, says so and how
// to test each. Else "".
std::string describe_first_value(const Expression& test);

// Of a comparison: if it asks whether such a path or variable differs from a constant text, says so and how to ask
// whether none is it. Else "".
std::string describe_any_differs(const Expression& comparison);

}  // namespace sluice::filter
