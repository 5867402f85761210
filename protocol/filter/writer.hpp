// Writes expressions as text that parses to the same tree. Pure functions; any thread.
#pragma once

#include <string>
#include <string_view>

#include "protocol/filter/syntax_tree.hpp"

namespace sluice::xpath {

std::string write(const Expression& expression);

// A constant as an expression: 'text' with whichever quotes fit, else concat(…); digits that read back as the same
// double, number('NaN'), (1 div 0).
std::string write_string(std::string_view text);
std::string write_number(double number);

std::string_view operator_text(Expression::Kind kind);  // of a binary operator
std::string_view axis_name(Axis axis);

}  // namespace sluice::xpath
