// Constant expressions, and XPath's conversions of them. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <string>

#include "protocol/filter/syntax/syntax_tree.hpp"

namespace sluice::filter {

// string(), number() and boolean() of a constant expression.
std::string constant_string(const Expression& constant);
double constant_number(const Expression& constant);
bool constant_boolean(const Expression& constant);

// The constant converted to `type`: string, number or boolean.
Expression convert_constant(Expression constant, ValueType type);
Expression make_string(std::string value, std::size_t offset);
Expression make_number(double value, std::size_t offset);
Expression make_boolean(bool value, std::size_t offset);

}  // namespace sluice::filter
