#include "protocol/filter/compile/simplify.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include "protocol/filter/compile/folding.hpp"
#include "protocol/filter/compile/times.hpp"
#include "protocol/filter/evaluator/comparison.hpp"
#include "protocol/filter/syntax/constant.hpp"
#include "protocol/filter/syntax/functions.hpp"
#include "protocol/filter/syntax/writer.hpp"

namespace sluice::filter {

namespace {

using Kind = Expression::Kind;

bool all_constant(const std::vector<Expression>& operands) {
    return std::all_of(operands.begin(), operands.end(), [](const Expression& e) { return is_constant(e); });
}

Expression unwrap(Expression call) {
    Expression argument = std::move(call.operands[0]);
    return argument;
}

// The expression where a value of `type` is expected: a constant is converted now, a call that only converts is
// dropped.
Expression convert(Expression e, ValueType type) {
    if (is_constant(e)) return convert_constant(std::move(e), type);
    // string(lower-case(x)) is the first of several texts.
    if (is_call(e, "string") && e.operands[0].type == ValueType::strings) return e;
    const bool converts = (type == ValueType::string && is_call(e, "string")) ||
                          (type == ValueType::number && is_call(e, "number")) ||
                          (type == ValueType::boolean && is_call(e, "boolean"));
    return converts ? convert(unwrap(std::move(e)), type) : std::move(e);
}

Expression as_boolean(Expression e) {
    if (e.type == ValueType::boolean) return e;
    Expression call;
    call.kind = Kind::call;
    call.type = ValueType::boolean;
    call.offset = e.offset;
    call.text = "boolean";
    call.operands.push_back(std::move(e));
    return call;
}

// A number selects by position, so boolean() of a number must stay.
Expression simplify_predicate(Expression e) {
    if (is_constant(e) && e.kind != Kind::number) return convert_constant(std::move(e), ValueType::boolean);
    if (is_call(e, "boolean") && e.operands[0].type != ValueType::number) return unwrap(std::move(e));
    return e;
}

void simplify_arguments(Expression& e, const Function& f) {
    for (std::size_t i = 0; i < e.operands.size(); ++i) {
        Expression& argument = e.operands[i];
        // The added functions read every node of a path, but only the first node of string(path).
        if (f.origin != Function::Origin::xpath && !is_constant(argument)) continue;
        switch (f.arguments[std::min(i, f.arguments.size() - 1)]) {
            case 's':
                argument = convert(std::move(argument), ValueType::string);
                break;
            case '#':
                argument = convert(std::move(argument), ValueType::number);
                break;
            case 'b':
                argument = convert(std::move(argument), ValueType::boolean);
                break;
            default:
                break;
        }
    }
}

Expression simplify_call(Expression e) {
    const Function& f = *find_function(e.text);
    simplify_arguments(e, f);
    const bool foldable = !f.reads_context && f.origin != Function::Origin::kernel;
    if (foldable && f.result != ValueType::node_set && all_constant(e.operands)) return fold(e);

    if (e.operands.empty()) return e;
    const Expression& argument = e.operands[0];
    const bool changes_nothing = (e.text == "string" && argument.type == ValueType::string) ||
                                 (e.text == "number" && argument.type == ValueType::number) ||
                                 (e.text == "boolean" && argument.type == ValueType::boolean);
    if (changes_nothing) return unwrap(std::move(e));
    if (e.text == "not" && is_call(argument, "not")) return as_boolean(unwrap(unwrap(std::move(e))));
    const bool through_string =
        e.text == "number" && is_call(argument, "string") && argument.operands[0].type == ValueType::node_set;
    if (through_string) e.operands[0] = unwrap(std::move(e.operands[0]));
    return e;
}

// In order comparisons, too, a node-set is compared with a boolean as a boolean.
void compare_as_booleans(Expression& a, const Expression& b) {
    if (a.type == ValueType::node_set && b.type == ValueType::boolean) a = as_boolean(std::move(a));
}

Expression simplify_comparison(Expression e, bool dot_is_time) {
    read_time(e, dot_is_time);
    if (all_constant(e.operands)) return fold(e);
    if (!is_equality(e.kind)) {
        compare_as_booleans(e.operands[0], e.operands[1]);
        compare_as_booleans(e.operands[1], e.operands[0]);
    }
    const bool swap = is_constant(e.operands[0]) != is_constant(e.operands[1])
                          ? is_constant(e.operands[0])
                          : write(e.operands[1]) < write(e.operands[0]);
    if (swap) {
        std::swap(e.operands[0], e.operands[1]);
        e.kind = xpath::mirrored(e.kind);
    }
    if (!is_equality(e.kind) && is_constant(e.operands[1])) {  // order compares numbers, and NaN has no order
        e.operands[1] = convert_constant(std::move(e.operands[1]), ValueType::number);
        if (std::isnan(e.operands[1].number)) return make_boolean(false, e.offset);
    }
    return e;
}

Expression simplify_arithmetic(Expression e) {
    for (Expression& operand : e.operands) operand = convert(std::move(operand), ValueType::number);
    if (all_constant(e.operands)) return fold(e);
    const bool commutes = e.kind == Kind::add || e.kind == Kind::multiply;
    if (commutes && write(e.operands[1]) < write(e.operands[0])) std::swap(e.operands[0], e.operands[1]);
    return e;
}

// Merges operands of the same kind, sorts them by their text, and keeps each once.
void flatten_and_sort(Expression& e) {
    std::vector<std::pair<std::string, Expression>> sorted;
    const auto add = [&](Expression operand) {
        std::string text = write(operand);
        sorted.emplace_back(std::move(text), std::move(operand));
    };
    for (Expression& operand : e.operands) {
        if (operand.kind == e.kind)
            for (Expression& inner : operand.operands) add(std::move(inner));
        else
            add(std::move(operand));
    }
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    e.operands.clear();
    const std::string* previous = nullptr;
    for (auto& [text, operand] : sorted) {
        if (!previous || *previous != text) e.operands.push_back(std::move(operand));
        previous = &text;
    }
}

Expression simplify_logic(Expression e) {
    const bool absorbing = e.kind == Kind::logical_or;  // true or x, false and x
    std::vector<Expression> kept;
    for (Expression& operand : e.operands) {
        operand = convert(std::move(operand), ValueType::boolean);
        if (!is_constant(operand))
            kept.push_back(std::move(operand));
        else if (operand.boolean == absorbing)
            return make_boolean(absorbing, e.offset);
    }
    if (kept.empty()) return make_boolean(!absorbing, e.offset);
    e.operands = std::move(kept);
    flatten_and_sort(e);
    return e.operands.size() == 1 ? as_boolean(unwrap(std::move(e))) : std::move(e);
}

Expression simplify_union(Expression e) {
    flatten_and_sort(e);
    return e.operands.size() == 1 ? unwrap(std::move(e)) : std::move(e);
}

bool is_dot(const Step& step) {
    return step.axis == Axis::self && step.test.kind == NodeTest::Kind::node && step.predicates.empty();
}

Expression simplify_path(Expression e) {
    // (a/b)/c is a/b/c.
    const bool merge = !e.operands.empty() && e.predicates.empty() && e.operands[0].kind == Kind::path;
    if (merge) {
        Expression head = std::move(e.operands[0]);
        std::move(e.steps.begin(), e.steps.end(), std::back_inserter(head.steps));
        e = std::move(head);
    }
    const bool relative = e.operands.empty() && !e.absolute;
    std::erase_if(e.steps, is_dot);
    if (relative && e.steps.empty()) e.steps.push_back({Axis::self, {}, {}});
    const bool only_head = !e.operands.empty() && e.predicates.empty() && e.steps.empty();
    return only_head ? unwrap(std::move(e)) : std::move(e);
}

}  // namespace

Expression simplify(Expression e, bool dot_is_time) {
    for (Expression& operand : e.operands) operand = simplify(std::move(operand), dot_is_time);
    const bool of_times = selects_times(e, dot_is_time);
    for (Expression& predicate : e.predicates) predicate = simplify_predicate(simplify(std::move(predicate), of_times));
    for (Step& step : e.steps)
        for (Expression& predicate : step.predicates) predicate = simplify_predicate(simplify(std::move(predicate)));

    switch (e.kind) {
        case Kind::call:
            return simplify_call(std::move(e));
        case Kind::path:
            return simplify_path(std::move(e));
        case Kind::logical_and:
        case Kind::logical_or:
            return simplify_logic(std::move(e));
        case Kind::set_union:
            return simplify_union(std::move(e));
        default:
            break;
    }
    if (is_comparison(e.kind)) return simplify_comparison(std::move(e), dot_is_time);
    if (is_arithmetic(e.kind)) return simplify_arithmetic(std::move(e));
    return e;
}

bool selects(const Expression& e) {
    if (e.kind == Kind::set_union) return std::all_of(e.operands.begin(), e.operands.end(), selects);
    if (e.kind != Kind::path) return false;
    return e.absolute || (!e.operands.empty() && selects(e.operands[0]));
}

}  // namespace sluice::filter
