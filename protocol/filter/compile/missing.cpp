#include "protocol/filter/compile/missing.hpp"

#include <cmath>
#include <limits>
#include <string_view>

#include "gpu/api/empty_text.hpp"
#include "protocol/filter/syntax/attribute.hpp"

namespace sluice::filter {

namespace {

using engine::Operator;

struct Nothing {
    std::string_view text;
    double number;
};

// What the function makes of an empty set of nodes; none if that is no value.
std::optional<Nothing> of_no_nodes(Attribute::Function function) {
    switch (function) {
        case Attribute::Function::string:
        case Attribute::Function::normalize_space:
        case Attribute::Function::string_of_lower_case:
        case Attribute::Function::name:
            return Nothing{"", std::numeric_limits<double>::quiet_NaN()};
        case Attribute::Function::string_length:
        case Attribute::Function::count:
        case Attribute::Function::sum:
            return Nothing{"0", 0};
        case Attribute::Function::each:
        case Attribute::Function::lower_case:
        case Attribute::Function::date:
        case Attribute::Function::path:
            break;
    }
    return std::nullopt;
}

// The event's element and its parent, if only the document node.
bool always_has_a_node(const Attribute& attribute) {
    const AttributePath& path = attribute.path;
    return attribute.variable.empty() && path.parents <= 1 && path.children.empty() &&
           path.last == AttributePath::Last::element;
}

bool holds(Operator op, const std::string& operand, double number, const Nothing& value) {
    switch (op) {
        case Operator::equal:
            return value.text == operand;
        case Operator::not_equal:
            return value.text != operand;
        case Operator::contains:
        case Operator::starts_with:
        case Operator::ends_with:
            return operand.empty() || operand == value.text;  // which has at most one character
        case Operator::number_equal:
            return value.number == number;
        case Operator::number_not_equal:
            return value.number != number;
        case Operator::less:
            return value.number < number;
        case Operator::less_equal:
            return value.number <= number;
        case Operator::greater:
            return value.number > number;
        case Operator::greater_equal:
            return value.number >= number;
        case Operator::exists:
        case Operator::scanned:
            break;
    }
    return false;
}

std::optional<Operator> opposite(Operator op) {
    switch (op) {
        case Operator::equal:
            return Operator::not_equal;
        case Operator::not_equal:
            return Operator::equal;
        case Operator::number_equal:
            return Operator::number_not_equal;
        case Operator::number_not_equal:
            return Operator::number_equal;
        case Operator::less:
            return Operator::greater_equal;
        case Operator::less_equal:
            return Operator::greater;
        case Operator::greater:
            return Operator::less_equal;
        case Operator::greater_equal:
            return Operator::less;
        default:
            return std::nullopt;
    }
}

bool is_ordering(Operator op) { return op >= Operator::less && op <= Operator::greater_equal; }

}  // namespace

bool holds_without_nodes(const engine::Predicate& predicate) {
    const std::optional<Attribute> attribute = parse_attribute(predicate.attribute);
    if (!attribute || always_has_a_node(*attribute)) return false;
    std::optional<Nothing> value = of_no_nodes(attribute->function);
    if (!value) return false;
    if (predicate.measure) value->number = engine::of_empty_text(*predicate.measure);
    if (predicate.measure && std::isnan(value->number)) return false;
    return holds(predicate.op, predicate.text, predicate.number, *value);
}

std::optional<engine::Predicate> opposite(const engine::Predicate& predicate) {
    // A text may have no such measure, and a sum may be NaN: then neither `<` nor `>=` holds.
    const bool may_be_neither =
        predicate.measure ||
        (is_ordering(predicate.op) && parse_attribute(predicate.attribute)->function == Attribute::Function::sum);
    const std::optional<Operator> op = opposite(predicate.op);
    if (may_be_neither || !op) return std::nullopt;
    engine::Predicate complement = predicate;
    complement.op = *op;
    return complement;
}

engine::Predicate existence(const engine::Predicate& predicate) {
    Attribute attribute = *parse_attribute(predicate.attribute);
    attribute.function = Attribute::Function::each;
    return {to_string(attribute), Operator::exists, {}, 0};
}

}  // namespace sluice::filter
