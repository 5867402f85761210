#include "gpu/operators/reference.hpp"

#include <stdexcept>

#include "gpu/operators/approximate/reference.hpp"
#include "gpu/operators/regex/regex.hpp"

namespace sluice {

namespace {

approximate::CostTable costs_of(const Measure& measure) {
    return approximate::cost_table(measure.scheme).value_or(approximate::CostTable::unit);
}

}  // namespace

std::string fault_of(const Measure& measure) {
    switch (measure.kind) {
        case Measure::Kind::matches:
            return regex_fault(measure.operand);
        case Measure::Kind::approx_distance:
        case Measure::Kind::edit_distance:
            return {};
        default:
            return "not available in this build";
    }
}

MeasureFunction reference_of(const Measure& measure) {
    switch (measure.kind) {
        case Measure::Kind::matches:
            return [regex = compile_regex(measure.operand)](std::string_view text) {
                return regex->found_in(text) ? 1.0 : 0.0;
            };
        case Measure::Kind::approx_distance:
            return [pattern = measure.operand, table = costs_of(measure)](std::string_view text) {
                return static_cast<double>(approximate::approx_distance(text, pattern, table));
            };
        case Measure::Kind::edit_distance:
            return [pattern = measure.operand, table = costs_of(measure)](std::string_view text) {
                return static_cast<double>(approximate::edit_distance(text, pattern, table));
            };
        default:
            throw std::logic_error("a measure that this build does not have");
    }
}

}  // namespace sluice
