#include "protocol/filter/compile/folding.hpp"

#include <cstdint>
#include <limits>
#include <string>

#include "protocol/filter/evaluator/document_index_builder.hpp"
#include "protocol/filter/evaluator/evaluator.hpp"
#include "protocol/filter/syntax/constant.hpp"
#include "protocol/filter/syntax/fault.hpp"
#include "protocol/filter/syntax/lower_case.hpp"
#include "protocol/text/date.hpp"

namespace sluice::filter {

namespace {

using Kind = Expression::Kind;

// Limits for folding one constant; it can be as long as the filter itself.
constexpr std::uint64_t fold_steps_max = 100'000'000;
constexpr std::size_t fold_bytes_max = 64u << 20;

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
