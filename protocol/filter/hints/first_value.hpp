// Recognises functions that read the first of several values: contains($category, 'x'). Pure function; any thread.
#pragma once

#include <string>

#include "protocol/filter/syntax/syntax_tree.hpp"

namespace sluice::filter {

// Of a call or a comparison: if it reads the first value of a path or variable that often has several, says so and how
// to test each. Else "".
std::string describe_first_value(const Expression& test);

}  // namespace sluice::filter
