#include "protocol/filter/compile/test_form.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "protocol/filter/compile/kernel_functions.hpp"
#include "protocol/filter/compile/operand.hpp"
#include "protocol/filter/compile/scan.hpp"
#include "protocol/filter/compile/self_steps.hpp"
#include "protocol/filter/evaluator/comparison.hpp"
#include "protocol/filter/syntax/constant.hpp"
#include "protocol/filter/syntax/fault.hpp"

namespace sluice::filter {

namespace {

using Kind = Expression::Kind;

// The predicate operators of a comparison, by the type of its constant.
struct ComparisonOperators {
    Kind kind;
    engine::Operator textual, numeric;
};

constexpr ComparisonOperators comparison_operators[] = {
    {Kind::equal, engine::Operator::equal, engine::Operator::number_equal},
    {Kind::not_equal, engine::Operator::not_equal, engine::Operator::number_not_equal},
    {Kind::less, engine::Operator::less, engine::Operator::less},
    {Kind::less_equal, engine::Operator::less_equal, engine::Operator::less_equal},
    {Kind::greater, engine::Operator::greater, engine::Operator::greater},
    {Kind::greater_equal, engine::Operator::greater_equal, engine::Operator::greater_equal},
};

const ComparisonOperators& operators_of(Kind comparison) {
    return *std::find_if(std::begin(comparison_operators), std::end(comparison_operators),
                         [&](const ComparisonOperators& o) { return o.kind == comparison; });
}

bool has_one_value(ValueType type) { return type == ValueType::string || type == ValueType::number; }

class TestCompiler {
public:
    TestCompiler(std::size_t parents, Leaves& leaves) : parents_(parents), leaves_(leaves) {}

    Formula test(const Expression& e) {
        if (is_constant(e)) return make_constant(constant_boolean(e));
        if (e.kind == Kind::logical_and) return make_all(tests(e.operands));
        if (e.kind == Kind::logical_or) return make_any(tests(e.operands));
        if (is_call(e, "not")) return negate(test(e.operands[0]));
        if (is_call(e, "boolean")) return test(e.operands[0]);
        if (is_kernel_call(e)) return kernel_test(e, searched_attribute(e, parents_));
        if (is_comparison(e.kind)) return comparison(e);
        if (is_call(e, "contains")) return search(e, engine::Operator::contains);
        if (is_call(e, "starts-with")) return search(e, engine::Operator::starts_with);
        if (is_call(e, "ends-with")) return search(e, engine::Operator::ends_with);
        if (std::optional<Formula> found = test_of_last_step(e)) return std::move(*found);
        if (const std::optional<Operand> operand = as_operand(e, parents_)) return truth(*operand, e.offset);
        if (std::optional<Formula> found = test_of_self_steps(e, nullptr)) return std::move(*found);
        return scan_test(e, parents_, leaves_);
    }

private:
    std::vector<Formula> tests(const std::vector<Expression>& operands) {
        std::vector<Formula> formulas;
        for (const Expression& operand : operands) formulas.push_back(test(operand));
        return formulas;
    }

    Formula kernel_test(const Expression& call, const Attribute& attribute) {
        KernelCall compiled = compile_kernel_call(call, leaves_.limits());
        if (call.type != ValueType::boolean)
            throw Fault{call.offset, call.text + "() gives a number; compare it with a constant"};
        return computed_leaf(attribute, std::move(compiled), call.offset);
    }

    Formula kernel_comparison(const Expression& e, const Attribute& attribute) {
        KernelCall compiled = compile_kernel_call(e.operands[0], leaves_.limits());
        compiled.op = operators_of(e.kind).numeric;
        compiled.number = constant_number(e.operands[1]);
        const bool never = std::isnan(compiled.number) && e.kind != Kind::not_equal;
        return never ? make_constant(false) : computed_leaf(attribute, std::move(compiled), e.offset);
    }

    Formula text_leaf(const Attribute& attribute, engine::Operator op, std::string text, std::size_t offset) {
        return leaves_.indexed({to_string(attribute), op, std::move(text), 0}, offset);
    }
    Formula computed_leaf(const Attribute& attribute, KernelCall call, std::size_t offset) {
        return leaves_.computed({to_string(attribute), call.op, {}, call.number + 0.0, std::move(call.measure)},
                                offset);
    }
    Formula number_leaf(const Attribute& attribute, engine::Operator op, double number, std::size_t offset) {
        return leaves_.indexed({to_string(attribute), op, {}, number + 0.0}, offset);  // -0 becomes 0
    }
    Formula exists_leaf(Attribute attribute, std::size_t offset) {
        const AttributePath& path = attribute.path;
        const bool element = path.children.empty() && path.last == AttributePath::Last::element;
        // The event's element always has a parent, if only the document node.
        if (attribute.variable.empty() && element && path.parents <= 1) return make_constant(true);
        attribute.function = Attribute::Function::each;
        return leaves_.indexed({to_string(attribute), engine::Operator::exists, {}, 0}, offset);
    }

    // boolean(operand): a node exists, a string is not empty, a number is neither 0 nor NaN.
    Formula truth(const Operand& operand, std::size_t offset) {
        const Attribute& a = operand.attribute;
        if (operand.type == ValueType::node_set) return exists_leaf(a, offset);
        if (operand.type == ValueType::string || operand.type == ValueType::strings)
            return text_leaf(a, engine::Operator::not_equal, "", offset);
        Formula positive = number_leaf(a, engine::Operator::greater, 0, offset);
        const bool never_negative =
            a.function == Attribute::Function::count || a.function == Attribute::Function::string_length;
        if (never_negative) return positive;
        return make_any({std::move(positive), number_leaf(a, engine::Operator::less, 0, offset)});
    }

    Formula comparison(const Expression& e) {
        const Expression& left = e.operands[0];
        const Expression& right = e.operands[1];
        if (!is_constant(right)) return scan_test(e, parents_, leaves_);
        if (left.type == ValueType::boolean) return boolean_comparison(e);
        const bool with_boolean = right.kind == Kind::boolean && is_equality(e.kind);
        if (with_boolean) return (e.kind == Kind::equal) == right.boolean ? test(left) : negate(test(left));
        if (is_kernel_call(left)) return kernel_comparison(e, searched_attribute(left, parents_));
        if (const std::optional<Operand> operand = as_operand(left, parents_)) return compare(*operand, e);
        if (std::optional<Formula> found = test_of_self_steps(left, &e)) return std::move(*found);
        return scan_test(e, parents_, leaves_);
    }

    // A boolean against a constant: the outcomes for false and for true decide.
    Formula boolean_comparison(const Expression& e) {
        const Expression& constant = e.operands[1];
        const double number = is_equality(e.kind) ? (constant_boolean(constant) ? 1 : 0) : constant_number(constant);
        const bool if_false = xpath::compare_numbers(e.kind, 0, number);
        const bool if_true = xpath::compare_numbers(e.kind, 1, number);
        if (if_false == if_true) return make_constant(if_true);
        return if_true ? test(e.operands[0]) : negate(test(e.operands[0]));
    }

    Formula compare(const Operand& operand, const Expression& e) {
        const Expression& constant = e.operands[1];
        const bool numbers = operand.type == ValueType::number || operand.type == ValueType::numbers;
        const bool textual = constant.kind == Kind::string && is_equality(e.kind) && !numbers;
        if (textual) return text_leaf(operand.attribute, operators_of(e.kind).textual, constant.text, e.offset);
        const double number = constant_number(constant);
        if (std::isnan(number)) return compare_with_nan(operand, e);
        return number_leaf(operand.attribute, operators_of(e.kind).numeric, number, e.offset);
    }

    // NaN differs from every number and from itself, and is neither less nor greater than any.
    Formula compare_with_nan(const Operand& operand, const Expression& e) {
        if (e.kind != Kind::not_equal) return make_constant(false);
        if (has_one_value(operand.type)) return make_constant(true);
        return exists_leaf(operand.attribute, e.offset);
    }

    // contains() and starts-with(), as XPath has them, test the string of a path's first node. ends-with() tests that
    // of each node, and all three test each text that lower-case() gives.
    Formula search(const Expression& e, engine::Operator op) {
        std::optional<Operand> operand = as_operand(e.operands[0], parents_);
        const bool indexed = operand && is_textual(operand->type) && is_constant(e.operands[1]);
        if (!indexed) return scan_test(e, parents_, leaves_);
        if (operand->type == ValueType::node_set && op != engine::Operator::ends_with) {
            operand->attribute.function = Attribute::Function::string;
            operand->type = ValueType::string;
        }
        const std::string text = constant_string(e.operands[1]);
        if (!text.empty()) return text_leaf(operand->attribute, op, text, e.offset);
        return has_one_value(operand->type) ? make_constant(true) : exists_leaf(operand->attribute, e.offset);
    }

    // path[. = 'x'], path[contains(., 'x')] …: a test of each node's string, true if it holds for one of them.
    std::optional<Formula> test_of_last_step(const Expression& e) {
        if (e.kind != Kind::path || e.steps.empty() || e.steps.back().predicates.size() != 1) return std::nullopt;
        Expression path = e;
        const Expression predicate = std::move(path.steps.back().predicates[0]);
        path.steps.back().predicates.clear();
        const std::optional<AttributePath> nodes = as_attribute_path(path, parents_);
        const bool single = !nodes || (nodes->children.empty() && nodes->last == AttributePath::Last::element);
        if (single) return std::nullopt;
        return each_value(Operand{{Attribute::Function::each, {}, *nodes}, ValueType::node_set}, predicate);
    }

    std::optional<Formula> each_value(const Operand& values, const Expression& test) {
        if (test.kind == Kind::logical_or) return any_value(values, test);
        if (is_kernel_call(test) && is_dot(test.operands[0])) return kernel_test(test, values.attribute);
        if (is_comparison(test.kind) && is_kernel_call(test.operands[0]) && is_dot(test.operands[0].operands[0]) &&
            is_constant(test.operands[1]) && test.operands[1].kind != Kind::boolean)
            return kernel_comparison(test, values.attribute);
        const bool of_dot = !test.operands.empty() && is_dot(test.operands[0]);
        if (!of_dot || test.operands.size() != 2 || !is_constant(test.operands[1])) return std::nullopt;
        const Expression& constant = test.operands[1];
        if (is_comparison(test.kind) && constant.kind != Kind::boolean) return compare(values, test);

        const std::string text = constant_string(constant);
        const auto found = [&](engine::Operator op) {
            return text.empty() ? exists_leaf(values.attribute, test.offset)
                                : text_leaf(values.attribute, op, text, test.offset);
        };
        if (is_call(test, "contains")) return found(engine::Operator::contains);
        if (is_call(test, "starts-with")) return found(engine::Operator::starts_with);
        if (is_call(test, "ends-with")) return found(engine::Operator::ends_with);
        return std::nullopt;
    }

    std::optional<Formula> any_value(const Operand& values, const Expression& test) {
        std::vector<Formula> formulas;
        for (const Expression& operand : test.operands) {
            std::optional<Formula> formula = each_value(values, operand);
            if (!formula) return std::nullopt;
            formulas.push_back(std::move(*formula));
        }
        return make_any(std::move(formulas));
    }

    // Leading self:: and parent:: steps with conditions, then the rest of the path, on its own or in its comparison.
    std::optional<Formula> test_of_self_steps(const Expression& path, const Expression* comparison) {
        std::optional<SelfSteps> steps = split_self_steps(path, parents_);
        if (!steps) return std::nullopt;
        std::vector<Formula> parts;
        for (const SelfSteps::Condition& c : steps->conditions) {
            parts.push_back(compile_node_test(c.test, c.parents, path.offset, leaves_));
            for (const Expression& predicate : c.predicates)
                parts.push_back(compile_test(predicate, c.parents, leaves_));
        }
        Expression rest = std::move(steps->rest);
        if (comparison) {
            Expression compared = *comparison;
            compared.operands[0] = std::move(rest);
            rest = std::move(compared);
        }
        parts.push_back(compile_test(rest, steps->parents, leaves_));
        Formula formula = make_all(std::move(parts));
        // The text of a leaf scanned further up is itself such a path; it must stay one leaf.
        if (steps->parents > 1 && leaves_.scans(formula)) return std::nullopt;
        return formula;
    }

    static bool is_dot(const Expression& e) {
        const std::optional<AttributePath> path = as_attribute_path(e, 0);
        return path && *path == AttributePath{};
    }

    std::size_t parents_;
    Leaves& leaves_;
};

Formula name_leaf(std::size_t parents, engine::Operator op, std::string name, std::size_t offset, Leaves& leaves) {
    Attribute attribute;
    attribute.function = Attribute::Function::name;
    attribute.path.parents = parents;
    return leaves.indexed({to_string(attribute), op, std::move(name), 0}, offset);
}

}  // namespace

Formula compile_node_test(const NodeTest& test, std::size_t parents, std::size_t offset, Leaves& leaves) {
    if (test.kind == NodeTest::Kind::name)
        return name_leaf(parents, engine::Operator::equal, test.name, offset, leaves);
    if (test.kind == NodeTest::Kind::any_in_namespace)
        return name_leaf(parents, engine::Operator::starts_with, test.name, offset, leaves);
    if (test.kind == NodeTest::Kind::node || parents == 0) return make_constant(true);
    return name_leaf(parents, engine::Operator::not_equal, "", offset, leaves);
}

Formula compile_test(const Expression& e, std::size_t parents, Leaves& leaves) {
    return TestCompiler(parents, leaves).test(e);
}

}  // namespace sluice::filter
