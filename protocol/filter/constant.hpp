// Constant expressions: XPath's conversions of them, and their value. Pure functions; any thread.
#pragma once

#include <string>

#include "protocol/filter/syntax_tree.hpp"

namespace sluice::xpath {

// string(), number() and boolean() of a constant expression.
std::string constant_string(const Expression& constant);
double constant_number(const Expression& constant);
bool constant_boolean(const Expression& constant);

// The constant as one of that type: string, number or boolean.
Expression convert_constant(Expression constant, ValueType type);
Expression make_boolean(bool value, std::size_t offset);

// Evaluates an operator or function whose operands are all constant. pugixml itself does it for what XPath 1.0 has, so
// that folding never changes the meaning.
Expression fold(const Expression& expression);

}  // namespace sluice::xpath
