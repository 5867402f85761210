// Texts that lower-case() never gives, as they have capital letters. Pure functions; any thread.
#pragma once

#include <string>

#include "protocol/filter/syntax/syntax_tree.hpp"

namespace sluice::filter {

// The text in lower case if `value` is lower-case(…) and `text` a constant that differs from it; else "".
std::string lower_case_meant(const Expression& value, const Expression& text);

// The same for the arguments of contains(), starts-with(), ends-with(), and matches() with an expression whose letters
// all stand for themselves.
std::string lower_case_searched(const Expression& call);

}  // namespace sluice::filter
