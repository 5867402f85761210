#include "protocol/filter/syntax/checker.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "protocol/filter/syntax/attribute.hpp"
#include "protocol/filter/syntax/fault.hpp"
#include "protocol/filter/syntax/functions.hpp"
#include "protocol/filter/syntax/quotes.hpp"

namespace sluice::filter {

namespace {

using Kind = Expression::Kind;

bool is_sequence(ValueType type) { return type == ValueType::strings || type == ValueType::numbers; }

Expression context_node(std::size_t offset) {
    Expression e;
    e.kind = Kind::path;
    e.type = ValueType::node_set;
    e.offset = offset;
    e.steps.push_back({Axis::self, {}, {}});
    return e;
}

bool is_name_function(std::string_view name) {
    return name == "name" || name == "local-name" || name == "namespace-uri";
}

std::string argument_count(const Function& f) {
    const auto plural = [](std::size_t n) { return std::to_string(n) + (n == 1 ? " argument" : " arguments"); };
    if (f.arguments.empty()) return "no arguments";
    if (f.repeats) return plural(f.arguments_min()) + " or more";
    if (f.optional > 0) return std::to_string(f.arguments_min()) + " or " + plural(f.arguments.size());
    return plural(f.arguments.size());
}

void check_variable(Expression& e) {
    e.type = e.text == "path" ? ValueType::string : ValueType::node_set;
    if (e.text == "path" || is_variable(e.text)) return;
    const std::size_t minus = e.text.rfind('-');
    if (minus != std::string::npos && is_variable(e.text.substr(0, minus)))
        throw Fault{e.offset, "there is no variable $" + e.text + ", and names may have a '-'; to subtract write $" +
                                  e.text.substr(0, minus) + " - " + e.text.substr(minus + 1)};
    std::string message = "there is no variable $" + e.text + suggest_variable(e.text) + "; expected one of";
    for (const std::string_view name : variable_names()) message += " $" + std::string(name);
    throw Fault{e.offset, message};
}

// $category, $category[1], …
bool is_of_variable(const Expression& e) {
    return e.kind == Kind::variable || (e.kind == Kind::path && !e.operands.empty() && is_of_variable(e.operands[0]));
}

// `.`, perhaps written as `./.` or after a head: `(.)[1]`.
bool is_dot_only(const Expression& path) {
    return !path.absolute && std::all_of(path.steps.begin(), path.steps.end(), [](const Step& step) {
        return step.axis == Axis::self && step.test.kind == NodeTest::Kind::node && step.predicates.empty();
    });
}

// Its context node is a plain value, which nothing surrounds: any other path would select nothing, without a word.
void check_predicate_of_variable(const Expression& e) {
    const std::string reason = " can't be used in the predicate of a variable: its values are not part of the document";
    if (e.kind == Kind::path && !is_dot_only(e))
        throw Fault{e.offset, "a path" + reason +
                                  "; expected '.', a constant, another variable or a function of these" +
                                  suggest_quotes(e)};
    if (e.kind == Kind::call && (is_name_function(e.text) || e.text == "lang" || e.text == "id"))
        throw Fault{e.offset, e.text + "()" + reason};
    for (const Expression& operand : e.operands) check_predicate_of_variable(operand);
    for (const Expression& predicate : e.predicates) check_predicate_of_variable(predicate);
}

void check_path(const Expression& e) {
    if (e.operands.empty()) return;
    const Expression& head = e.operands[0];
    if (head.type != ValueType::node_set)
        throw Fault{head.offset, "a step or a predicate can only follow a path, not a string, number or boolean"};
    if (!is_of_variable(head)) return;
    if (!e.steps.empty()) throw Fault{e.offset, "a variable stands for plain values; no step can follow it"};
    for (const Expression& predicate : e.predicates) check_predicate_of_variable(predicate);
}

void check_union(const Expression& e) {
    for (const Expression& operand : e.operands) {
        if (is_of_variable(operand))
            throw Fault{operand.offset, "a variable can't be joined by '|'; write two tests joined by 'or'"};
        if (operand.type != ValueType::node_set)
            throw Fault{operand.offset, "'|' joins paths, not strings, numbers or booleans; for tests write 'or'"};
    }
}

void check_call(Expression& e) {
    const Function* f = find_function(e.text);
    if (!f) throw Fault{e.offset, "there is no function " + e.text + "()" + suggest_function(e.text)};
    if (e.operands.empty() && f->defaults_to_context) e.operands.push_back(context_node(e.offset));

    const std::size_t given = e.operands.size();
    if (given < f->arguments_min() || (given > f->arguments.size() && !f->repeats))
        throw Fault{e.offset, e.text + "() takes " + argument_count(*f) + ", but has " + std::to_string(given)};
    for (std::size_t i = 0; i < given; ++i) {
        const char wanted = f->arguments[std::min(i, f->arguments.size() - 1)];
        if (wanted == 'n' && e.operands[i].type != ValueType::node_set)
            throw Fault{e.operands[i].offset,
                        e.text + "() takes a path such as category, not a string, number or boolean"};
    }
    e.type = f->result;
    const ValueType first = given > 0 ? e.operands[0].type : ValueType::string;
    const bool of_each = first == ValueType::node_set || is_sequence(first);
    if (of_each && e.text == "lower-case") e.type = ValueType::strings;
    if (of_each && e.text == "date") e.type = ValueType::numbers;
    if (is_name_function(e.text) && is_of_variable(e.operands[0]))
        throw Fault{e.operands[0].offset, "a variable stands for plain values, which have no name"};
}

}  // namespace

void check(Expression& e) {
    for (Expression& operand : e.operands) check(operand);
    for (Expression& predicate : e.predicates) check(predicate);
    for (Step& step : e.steps)
        for (Expression& predicate : step.predicates) check(predicate);

    switch (e.kind) {
        case Kind::number:
            e.type = ValueType::number;
            break;
        case Kind::string:
            e.type = ValueType::string;
            break;
        case Kind::boolean:
            e.type = ValueType::boolean;
            break;
        case Kind::variable:
            check_variable(e);
            break;
        case Kind::call:
            check_call(e);
            break;
        case Kind::path:
            e.type = ValueType::node_set;
            check_path(e);
            break;
        case Kind::set_union:
            e.type = ValueType::node_set;
            check_union(e);
            break;
        default:
            e.type = is_arithmetic(e.kind) ? ValueType::number : ValueType::boolean;
            break;
    }
}

}  // namespace sluice::filter
