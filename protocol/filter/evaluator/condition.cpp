#include "protocol/filter/evaluator/condition.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "protocol/filter/syntax/constant.hpp"
#include "protocol/filter/syntax/functions.hpp"

namespace sluice::xpath {

namespace {

using Kind = filter::Expression::Kind;

constexpr std::size_t direct_steps_max = 64;

constexpr std::string_view function_names[] = {
    "last",
    "position",
    "count",
    "id",
    "local-name",
    "namespace-uri",
    "name",
    "string",
    "concat",
    "starts-with",
    "contains",
    "substring-before",
    "substring-after",
    "substring",
    "string-length",
    "normalize-space",
    "translate",
    "boolean",
    "not",
    "true",
    "false",
    "lang",
    "number",
    "sum",
    "floor",
    "ceiling",
    "round",
};

CoreFunction function_of(const filter::Expression& call) {
    const auto* found = std::find(std::begin(function_names), std::end(function_names), call.text);
    return static_cast<CoreFunction>(found - std::begin(function_names));
}

bool is_deep(filter::Axis axis) { return axis == filter::Axis::descendant || axis == filter::Axis::descendant_or_self; }

// Tracks whether a walk along a path's steps from one node reaches each node once, and in document order.
class Walk {
public:
    void take(const CompiledStep& step) {
        const filter::Axis axis = step.axis;
        if (axis == filter::Axis::self || (is_single_ && step.chooses())) return;
        if (is_single_) return take_from_one(axis);
        // Children of nested nodes come after the contents of the inner nodes.
        is_ordered_ = is_ordered_ && (axis == filter::Axis::attribute || !is_nested_);
        const bool is_down = axis == filter::Axis::child || axis == filter::Axis::attribute;
        is_distinct_ = is_distinct_ && (is_down || (is_deep(axis) && !is_nested_));
        is_nested_ = is_nested_ || is_deep(axis);
    }

    bool is_distinct() const { return is_distinct_; }                // each node once
    bool is_ordered() const { return is_distinct_ && is_ordered_; }  // and in document order

private:
    void take_from_one(filter::Axis axis) {
        if (axis == filter::Axis::parent) return;
        is_single_ = false;
        const bool is_flat = axis == filter::Axis::child || axis == filter::Axis::attribute ||
                             axis == filter::Axis::following_sibling || axis == filter::Axis::preceding_sibling;
        is_nested_ = !is_flat;
        is_ordered_ = axis != filter::Axis::ancestor && axis != filter::Axis::ancestor_or_self &&
                      axis != filter::Axis::preceding && axis != filter::Axis::preceding_sibling;
    }

    bool is_single_ = true, is_nested_ = false, is_distinct_ = true, is_ordered_ = true;
};

void find_walk(CompiledExpression& path) {
    // The walk recurses as deep as the path is long.
    if (!path.operands.empty() || path.steps.size() > direct_steps_max) return;
    Walk walk;
    for (const CompiledStep& step : path.steps) {
        if (step.positional() && !step.chooses()) return;
        walk.take(step);
    }
    path.distinct = walk.is_distinct();
    path.direct = walk.is_ordered();
}

bool is_any_node(const CompiledStep& step) { return step.test.mask == 0 && !step.is_name && step.predicates.empty(); }

// Nodes with neither children nor attributes are useless to a downward step.
void pass_over_leaves(std::vector<CompiledStep>& steps) {
    for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
        const filter::Axis next = steps[i + 1].axis;
        const bool is_down =
            next == filter::Axis::child || next == filter::Axis::attribute || next == filter::Axis::descendant;
        if (is_down && is_any_node(steps[i])) steps[i].test = any_parent;
    }
}

void compile_test(const filter::NodeTest& test, CompiledStep& code) {
    const NodeKind principal = code.axis == filter::Axis::attribute ? NodeKind::attribute : NodeKind::element;
    code.is_prefix = test.kind == filter::NodeTest::Kind::any_in_namespace;
    switch (test.kind) {
        case filter::NodeTest::Kind::name:
        case filter::NodeTest::Kind::any_name:
        case filter::NodeTest::Kind::any_in_namespace:
            code.test = any_of_kind(principal);
            break;
        case filter::NodeTest::Kind::node:
            code.test = any_node;
            break;
        case filter::NodeTest::Kind::text:
            code.test = any_of_kind(NodeKind::text);
            break;
        case filter::NodeTest::Kind::comment:
            code.test = any_of_kind(NodeKind::comment);
            break;
        case filter::NodeTest::Kind::processing_instruction:
            code.test = any_of_kind(NodeKind::processing_instruction);
            break;
    }
    code.is_name = code.name != CompiledExpression::none && !code.is_prefix;
    if (code.is_name) code.test.mask = ~Label{0};
}

}  // namespace

class ConditionCompiler {
public:
    explicit ConditionCompiler(Condition& condition) : condition_(condition) {}

    // What the value of an expression depends on besides the document.
    struct Reads {
        bool node = false, position = false, variables = false;

        void add(const Reads& other) {
            node |= other.node;
            position |= other.position;
            variables |= other.variables;
        }
        bool context() const { return node || position; }
    };

    CompiledExpression compile(const filter::Expression& e, Reads& reads) {
        CompiledExpression code;
        code.kind = e.kind;
        code.type = e.type;
        code.number = e.number;
        code.boolean = e.boolean;
        code.absolute = e.absolute;
        if (e.kind == Kind::string) code.text = e.text;
        if (e.kind == Kind::variable) {
            const auto names = filter::variable_names();
            code.id = static_cast<std::uint32_t>(std::find(names.begin(), names.end(), e.text) - names.begin());
            reads.variables = true;
        }
        std::vector<Reads> of_operands;
        for (const filter::Expression& operand : e.operands) {
            code.operands.push_back(compile(operand, of_operands.emplace_back()));
            reads.add(of_operands.back());
        }
        if (e.kind == Kind::call) compile_call(e, code, reads);
        if (e.kind == Kind::path) compile_path(e, code, reads);
        // Keeps the constant parts of a varying expression.
        if (reads.context())
            for (std::size_t i = 0; i < of_operands.size(); ++i) keep(code.operands[i], of_operands[i]);
        code.reads_variables = reads.variables;
        return code;
    }

    // Assigns a place where the value of the expression is kept, if it is the same for all nodes.
    void keep(CompiledExpression& code, const Reads& reads) {
        if (reads.context() || code.kind <= Kind::variable) return;
        code.memo = static_cast<std::uint32_t>(condition_.memos_++);
    }

private:
    std::uint32_t intern(const std::string& name) {
        auto& names = condition_.names_;
        const auto found = std::find(names.begin(), names.end(), name);
        if (found == names.end()) return names.push_back(name), static_cast<std::uint32_t>(names.size() - 1);
        return static_cast<std::uint32_t>(found - names.begin());
    }

    void compile_call(const filter::Expression& e, CompiledExpression& code, Reads& reads) {
        code.function = function_of(e);
        if (code.function == CoreFunction::last || code.function == CoreFunction::position) reads.position = true;
        if (code.function == CoreFunction::lang) {
            reads.node = true;
            code.id = intern("xml:lang");
        }
        if (code.function != CoreFunction::translate) return;
        if (!filter::is_constant(e.operands[1]) || !filter::is_constant(e.operands[2])) return;
        code.id = static_cast<std::uint32_t>(condition_.translations_.size());
        Meter unlimited;
        condition_.translations_.emplace_back(filter::constant_string(e.operands[1]),
                                              filter::constant_string(e.operands[2]), unlimited);
    }

    CompiledExpression compile_predicate(const filter::Expression& e, Reads& of_path) {
        Reads reads;
        CompiledExpression code = compile(e, reads);
        code.positional = e.type == filter::ValueType::number || reads.position;
        keep(code, reads);
        of_path.variables |= reads.variables;
        return code;
    }

    CompiledStep compile_step(const filter::Step& step, Reads& reads) {
        CompiledStep code;
        code.axis = step.axis;
        if (!step.test.name.empty()) code.name = intern(step.test.name);
        compile_test(step.test, code);
        for (const filter::Expression& predicate : step.predicates)
            code.predicates.push_back(compile_predicate(predicate, reads));
        const auto positional = std::find_if(code.predicates.begin(), code.predicates.end(),
                                             [](const CompiledExpression& p) { return p.positional; });
        code.plain = static_cast<std::size_t>(positional - code.predicates.begin());
        return code;
    }

    // descendant-or-self::node()/child::a is descendant::a, unless a position counts among siblings.
    static bool join(CompiledStep& any, const CompiledStep& step) {
        const bool is_any = any.axis == filter::Axis::descendant_or_self && is_any_node(any);
        const bool fits = step.axis == filter::Axis::child || is_deep(step.axis);
        if (!is_any || !fits || step.positional()) return false;
        any = step;
        if (any.axis == filter::Axis::child) any.axis = filter::Axis::descendant;
        return true;
    }

    void compile_path(const filter::Expression& e, CompiledExpression& code, Reads& reads) {
        if (e.operands.empty() && !e.absolute) reads.node = true;
        for (const filter::Expression& predicate : e.predicates)
            code.predicates.push_back(compile_predicate(predicate, reads));
        for (const filter::Step& step : e.steps) {
            CompiledStep compiled = compile_step(step, reads);
            if (code.steps.empty() || !join(code.steps.back(), compiled)) code.steps.push_back(std::move(compiled));
        }
        find_walk(code);
        pass_over_leaves(code.steps);
    }

    Condition& condition_;
};

Condition::Condition(const filter::Expression& expression, Form form, std::size_t parents)
    : form_(form), parents_(parents) {
    ConditionCompiler compiler(*this);
    ConditionCompiler::Reads reads;
    root_ = compiler.compile(expression, reads);
    if (form == Form::test) compiler.keep(root_, reads);
}

}  // namespace sluice::xpath
