#include "protocol/filter/syntax/writer.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "protocol/filter/syntax/spelling.hpp"

namespace sluice::filter {

namespace {

using Kind = Expression::Kind;

bool is_root_only(const Expression& e) { return e.kind == Kind::path && e.absolute && e.steps.empty(); }

// A bare "/" before a name would take the name as its step.
std::string write_operand(const Expression& e, int precedence_min) {
    const bool parenthesise = precedence(e.kind) < precedence_min || is_root_only(e);
    return parenthesise ? "(" + write(e) + ")" : write(e);
}

std::string write_binary(const Expression& e) {
    const BinaryOperator& op = *find_operator(e.kind);
    std::string text;
    for (const Expression& operand : e.operands) {
        if (!text.empty()) text += " " + std::string(op.text) + " ";
        text += write_operand(operand, text.empty() ? op.precedence : op.precedence + 1);
    }
    return text;
}

std::string write_predicates(const std::vector<Expression>& predicates) {
    std::string text;
    for (const Expression& predicate : predicates) text += "[" + write(predicate) + "]";
    return text;
}

std::string write_test(const NodeTest& test) {
    switch (test.kind) {
        case NodeTest::Kind::name:
            return test.name;
        case NodeTest::Kind::any_name:
            return "*";
        case NodeTest::Kind::any_in_namespace:
            return test.name + "*";
        case NodeTest::Kind::node:
            return "node()";
        case NodeTest::Kind::text:
            return "text()";
        case NodeTest::Kind::comment:
            return "comment()";
        case NodeTest::Kind::processing_instruction:
            break;
    }
    return "processing-instruction(" + (test.name.empty() ? "" : write_string(test.name)) + ")";
}

bool is_plain_node(const Step& step, Axis axis) {
    return step.axis == axis && step.test.kind == NodeTest::Kind::node && step.predicates.empty();
}

std::string write_step(const Step& step) {
    if (is_plain_node(step, Axis::self)) return ".";
    if (is_plain_node(step, Axis::parent)) return "..";
    std::string text;
    if (step.axis == Axis::attribute)
        text = "@";
    else if (step.axis != Axis::child)
        text = std::string(axis_name(step.axis)) + "::";
    return text + write_test(step.test) + write_predicates(step.predicates);
}

std::string write_path(const Expression& e) {
    std::string text;
    if (!e.operands.empty()) {
        const Kind head = e.operands[0].kind;
        text = write(e.operands[0]);
        if (head != Kind::variable && head != Kind::call) text = "(" + text + ")";
        text += write_predicates(e.predicates);
    }
    bool slash = e.absolute || !text.empty();  // before the next step
    for (std::size_t i = 0; i < e.steps.size(); ++i) {
        if (i + 1 < e.steps.size() && is_plain_node(e.steps[i], Axis::descendant_or_self)) {
            text += slash ? "//" : ".//";
            slash = false;
            ++i;
        }
        if (slash) text += "/";
        text += write_step(e.steps[i]);
        slash = true;
    }
    return text.empty() ? "/" : text;
}

std::string write_call(const Expression& e) {
    std::string text;
    for (const Expression& argument : e.operands) text += (text.empty() ? "" : ", ") + write(argument);
    return e.text + "(" + text + ")";
}

}  // namespace

std::string write_string(std::string_view text) {
    if (text.find('\'') == std::string_view::npos) return "'" + std::string(text) + "'";
    if (text.find('"') == std::string_view::npos) return "\"" + std::string(text) + "\"";
    std::string parts;
    while (!text.empty()) {  // the longest piece that one kind of quotes can hold
        const char other = text.substr(0, text.find('"')).find('\'') == std::string_view::npos ? '\'' : '"';
        const std::string_view piece = text.substr(0, text.find(other));
        if (!parts.empty()) parts += ", ";
        parts += other + std::string(piece) + other;
        text.remove_prefix(piece.size());
    }
    return "concat(" + parts + ")";
}

std::string write_number(double number) {
    if (std::isnan(number)) return "number('NaN')";
    if (std::isinf(number)) return number > 0 ? "(1 div 0)" : "(-1 div 0)";
    std::array<char, 400> buffer;  // the smallest doubles have 343 characters
    const auto [end, error] =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::fixed);
    return std::string(buffer.data(), end);
}

std::string write(const Expression& e) {
    switch (e.kind) {
        case Kind::number:
            return write_number(e.number);
        case Kind::string:
            return write_string(e.text);
        case Kind::boolean:
            return e.boolean ? "true()" : "false()";
        case Kind::variable:
            return "$" + e.text;
        case Kind::call:
            return write_call(e);
        case Kind::path:
            return write_path(e);
        case Kind::negate:
            return "-" + write_operand(e.operands[0], precedence_negate);
        default:
            return write_binary(e);
    }
}

}  // namespace sluice::filter
