#include "protocol/filter/constant.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "protocol/filter/evaluator/document_index_builder.hpp"
#include "protocol/filter/evaluator/evaluator.hpp"
#include "protocol/filter/fault.hpp"
#include "protocol/filter/lower_case.hpp"
#include "protocol/filter/xpath_number.hpp"
#include "protocol/text/date.hpp"

namespace sluice::filter {

namespace {

using Kind = Expression::Kind;

// Limits for folding one constant; it can be as long as the filter itself.
constexpr std::uint64_t fold_steps_max = 100'000'000;
constexpr std::size_t fold_bytes_max = 64u << 20;

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

Expression evaluate(const Expression& e) {
    // Any thread may use it: it has no text that would be measured or joined on demand.
    static const xpath::DocumentIndex nothing = xpath::DocumentIndexBuilder().finish();
    const xpath::Condition condition(e, xpath::Condition::Form::test);
    xpath::MeteredMemory memory;
    memory.begin(fold_bytes_max);
    xpath::Meter meter;
    meter.begin(fold_steps_max);
    xpath::KnownParts parts(condition, nothing, &memory);
    const xpath::Evaluator evaluator(condition, nothing, nullptr, parts, meter, &memory);
    try {
        if (e.type == ValueType::boolean) return make_boolean(evaluator.boolean(xpath::document_node), e.offset);
        if (e.type == ValueType::number) return make_number(evaluator.number(xpath::document_node), e.offset);
        return make_string(std::string(evaluator.string(xpath::document_node).view()), e.offset);
    } catch (const xpath::OverBudget&) {
        throw Fault{e.offset, "this constant takes too long to compute"};
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
        return make_string(lower_case(constant_string(e.operands[0])), e.offset);
    if (e.kind == Kind::call && e.text == "ends-with")
        return make_boolean(constant_string(e.operands[0]).ends_with(constant_string(e.operands[1])), e.offset);
    if (e.kind == Kind::call && e.text == "date") {
        constexpr double nan = std::numeric_limits<double>::quiet_NaN();
        return make_number(text::parse_date(constant_string(e.operands[0])).value_or(nan), e.offset);
    }
    return evaluate(e);
}

}  // namespace sluice::filter
