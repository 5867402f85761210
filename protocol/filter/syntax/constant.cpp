#include "protocol/filter/syntax/constant.hpp"

#include <cmath>
#include <utility>

#include "protocol/filter/syntax/xpath_number.hpp"

namespace sluice::filter {

namespace {

using Kind = Expression::Kind;

}  // namespace

Expression make_string(std::string value, std::size_t offset) {
    Expression e;
    e.kind = Kind::string;
    e.type = ValueType::string;
    e.offset = offset;
    e.text = std::move(value);
    return e;
}

Expression make_number(double value, std::size_t offset) {
    Expression e;
    e.kind = Kind::number;
    e.type = ValueType::number;
    e.offset = offset;
    e.number = value;
    return e;
}

Expression make_boolean(bool value, std::size_t offset) {
    Expression e;
    e.kind = Kind::boolean;
    e.type = ValueType::boolean;
    e.offset = offset;
    e.boolean = value;
    return e;
}

std::string constant_string(const Expression& c) {
    if (c.kind == Kind::string) return c.text;
    if (c.kind == Kind::number) return xpath_string(c.number);
    return c.boolean ? "true" : "false";
}

double constant_number(const Expression& c) {
    if (c.kind == Kind::string) return xpath_number(c.text);
    if (c.kind == Kind::number) return c.number;
    return c.boolean ? 1 : 0;
}

bool constant_boolean(const Expression& c) {
    if (c.kind == Kind::string) return !c.text.empty();
    if (c.kind == Kind::number) return c.number != 0 && !std::isnan(c.number);
    return c.boolean;
}

Expression convert_constant(Expression c, ValueType type) {
    if (c.type == type) return c;
    if (type == ValueType::boolean) return make_boolean(constant_boolean(c), c.offset);
    if (type == ValueType::number) return make_number(constant_number(c), c.offset);
    return make_string(constant_string(c), c.offset);
}

}  // namespace sluice::filter
