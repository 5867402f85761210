// XPath's conversions of constant expressions, and constant folding. Pure functions; any thread.
#pragma once

#include <string>

#include "protocol/filter/syntax_tree.hpp"

namespace sluice::filter {

// string(), number() and boolean() of a constant expression.
std::string constant_string(const Expression& constant);
double constant_number(const Expression& constant);
bool constant_boolean(const Expression& constant);

// The constant converted to `type`: string, number or boolean.
Expression convert_constant(Expression constant, ValueType type);
Expression make_boolean(bool value, std::size_t offset);

// Evaluates an operator or function whose operands are all constant, with the evaluator of scanned conditions, so that
// folding never changes the meaning. Throws a Fault if that takes too long.
Expression fold(const Expression& expression);

}  // namespace sluice::filter
