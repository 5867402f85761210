#include "protocol/filter/constant.hpp"

#include <cmath>
#include <limits>
#include <pugixml.hpp>
#include <utility>

#include "protocol/filter/case_folding.hpp"
#include "protocol/filter/fault.hpp"
#include "protocol/filter/writer.hpp"
#include "protocol/filter/xpath_number.hpp"
#include "protocol/text/date.hpp"

namespace sluice::xpath {

namespace {

using Kind = Expression::Kind;

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

Expression fold_with_pugixml(const Expression& e) {
    try {
        const pugi::xpath_query query(write(e).c_str());
        const pugi::xpath_node nowhere;
        if (e.type == ValueType::boolean) return make_boolean(query.evaluate_boolean(nowhere), e.offset);
        if (e.type == ValueType::number) return make_number(query.evaluate_number(nowhere), e.offset);
        return make_string(query.evaluate_string(nowhere), e.offset);
    } catch (const pugi::xpath_exception& exception) {
        throw Fault{e.offset, std::string("this constant can't be computed: ") + exception.what()};
    }
}

}  // namespace

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

Expression make_boolean(bool value, std::size_t offset) {
    Expression e;
    e.kind = Kind::boolean;
    e.type = ValueType::boolean;
    e.offset = offset;
    e.boolean = value;
    return e;
}

Expression convert_constant(Expression c, ValueType type) {
    if (c.type == type) return c;
    if (type == ValueType::boolean) return make_boolean(constant_boolean(c), c.offset);
    if (type == ValueType::number) return make_number(constant_number(c), c.offset);
    return make_string(constant_string(c), c.offset);
}

Expression fold(const Expression& e) {
    if (e.kind == Kind::call && e.text == "lower-case")
        return make_string(fold_case(constant_string(e.operands[0])), e.offset);
    if (e.kind == Kind::call && e.text == "ends-with")
        return make_boolean(constant_string(e.operands[0]).ends_with(constant_string(e.operands[1])), e.offset);
    if (e.kind == Kind::call && e.text == "date") {
        constexpr double nan = std::numeric_limits<double>::quiet_NaN();
        return make_number(parse_date(constant_string(e.operands[0])).value_or(nan), e.offset);
    }
    return fold_with_pugixml(e);
}

}  // namespace sluice::xpath
