// Writes expressions as text that parses to the same tree. Pure functions; any thread.
#pragma once

#include <string>
#include <string_view>

#include "protocol/filter/syntax/syntax_tree.hpp"

namespace sluice::filter {

std::string write(const Expression& expression);

// A constant as an expression: 'text' in whichever quotes fit, else concat(…); digits that read back as the same
// double, number('NaN'), (1 div 0).
std::string write_string(std::string_view text);
std::string write_number(double number);

}  // namespace sluice::filter
