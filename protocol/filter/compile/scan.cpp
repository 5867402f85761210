#include "protocol/filter/compile/scan.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "protocol/filter/compile/kernel_functions.hpp"
#include "protocol/filter/compile/operand.hpp"
#include "protocol/filter/compile/searches.hpp"
#include "protocol/filter/compile/simplify.hpp"
#include "protocol/filter/evaluator/condition.hpp"
#include "protocol/filter/syntax/fault.hpp"
#include "protocol/filter/syntax/functions.hpp"
#include "protocol/filter/syntax/quotes.hpp"
#include "protocol/filter/syntax/spelling.hpp"
#include "protocol/filter/syntax/writer.hpp"

namespace sluice::filter {

namespace {

using Kind = Expression::Kind;

// The first expression, in tree order, for which the test returns true; null if there is none.
using Test = std::function<bool(const Expression&)>;

const Expression* find(const Expression& e, const Test& test);

const Expression* find(const std::vector<Expression>& list, const Test& test) {
    for (const Expression& e : list)
        if (const Expression* found = find(e, test)) return found;
    return nullptr;
}

const Expression* find(const Expression& e, const Test& test) {
    if (test(e)) return &e;
    if (const Expression* found = find(e.operands, test)) return found;
    if (const Expression* found = find(e.predicates, test)) return found;
    for (const Step& step : e.steps)
        if (const Expression* found = find(step.predicates, test)) return found;
    return nullptr;
}

bool is_added_call(const Expression& e) {
    return e.kind == Kind::call && find_function(e.text)->origin != Function::Origin::xpath;
}

void refuse_what_only_the_index_knows(const Expression& e, const FilterLimits& limits) {
    const Expression* found = find(e, [](const Expression& part) {
        return is_added_call(part) || (part.kind == Kind::variable && part.text == "path");
    });
    if (!found) return;
    if (found->kind == Kind::variable)
        throw Fault{found->offset,
                    "$path can only be compared with a constant or searched for one: "
                    "$path = '/rss/channel/item'"};
    if (is_kernel_call(*found)) {
        searched_attribute(*found, 0);
        compile_kernel_call(*found, limits);
    }
    std::string message = found->text + "() can't be used here; expected ";
    if (found->text == "ends-with")
        message += "ends-with(path, 'constant') as a test by itself";
    else
        message += found->text + (found->operands.size() > 1 ? "(path, …)" : "(path)") +
                   (find_function(found->text)->result == ValueType::boolean ? " as a test by itself"
                                                                             : " compared with a constant") +
                   ", the path having no predicates and starting at the item";
    if (found->text == "ends-with") message += suggest_quotes(found->operands[1]);
    if (is_comparison(e.kind))
        for (const Expression& side : e.operands) message += suggest_quotes(side);
    throw Fault{found->offset, message};
}

void refuse_deep_searches(const Expression& e, std::size_t searches_max) {
    const std::size_t searches = nested_searches(e);
    if (searches <= searches_max) return;
    throw Fault{e.offset, "searches are nested " + std::to_string(searches) + " deep here; the limit is " +
                              std::to_string(searches_max) +
                              " (limits.filter_searches); expected less nesting of \"//\", absolute paths, \"..\" and "
                              "the axes beyond parent and child"};
}

void refuse_unscannable(const Expression& e, const FilterLimits& limits) {
    refuse_what_only_the_index_knows(e, limits);
    refuse_deep_searches(e, limits.searches_max);
}

std::string path_reason(const Expression& path) {
    if (!path.operands.empty()) return "it filters a set of nodes";
    if (path.absolute) return "its path starts at the root of the document";
    for (const Step& step : path.steps) {
        if (step.axis == Axis::descendant_or_self) return "its path has '//'";
        if (step.axis != Axis::child && step.axis != Axis::attribute && step.axis != Axis::parent)
            return "its path has the axis " + std::string(axis_name(step.axis));
        if (!step.predicates.empty()) return "its path has a predicate";
    }
    return "its path does not consist of '..' steps, child names and an optional attribute or text() at the end";
}

std::string reason_of(const Expression& e) {
    const auto unindexed_path = [](const Expression& part) {
        return part.kind == Kind::path && !as_attribute_path(part, 0);
    };
    if (is_comparison(e.kind) && !is_constant(e.operands[1])) return "it compares two values of the event";
    if (const Expression* path = find(e, unindexed_path)) return path_reason(*path);
    if (find(e, [](const Expression& part) { return is_arithmetic(part.kind); })) return "it computes with numbers";
    if (find(e, [](const Expression& part) { return part.kind == Kind::set_union; })) return "it joins paths by '|'";
    const auto other_call = [](const Expression& part) {
        return part.kind == Kind::call && !as_operand(part, 0) && part.text != "boolean" && part.text != "not";
    };
    if (const Expression* call = find(e, other_call)) return "it uses " + call->text + "() in a way that has no index";
    return "it has no index";
}

// Writes the expression as a predicate of the ancestor that is its context node. A number would select by position
// there.
std::string text_at_ancestor(const Expression& e, std::size_t parents) {
    std::string text;
    for (std::size_t i = 1; i < parents; ++i) text += "../";
    const std::string test = e.type == ValueType::number ? "boolean(" + write(e) + ")" : write(e);
    return text + "parent::node()[" + test + "]";
}

}  // namespace

Formula scan_test(const Expression& e, std::size_t parents, Leaves& leaves) {
    refuse_unscannable(e, leaves.limits());
    Leaves::Scanned leaf;
    leaf.text = parents > 0 ? text_at_ancestor(e, parents) : write(e);
    if (parents == 0 && selects(e)) leaf.text = "boolean(" + leaf.text + ")";
    leaf.key = "test " + leaf.text;
    leaf.reason = reason_of(e);
    leaf.shared = parents > 0 || !reads_context(e);
    leaf.cost = cost_in_words(e, leaf.shared);
    leaf.condition = std::make_shared<const xpath::Condition>(e, xpath::Condition::Form::test, parents);
    return leaves.scanned(std::move(leaf), e.offset);
}

Formula scan_selection(const Expression& e, Leaves& leaves) {
    refuse_unscannable(e, leaves.limits());
    Leaves::Scanned leaf;
    leaf.text = write(e);
    leaf.key = "select " + leaf.text;
    leaf.reason = "it selects by position or along an axis";
    leaf.shared = true;
    leaf.cost = cost_in_words(e, leaf.shared);
    leaf.condition = std::make_shared<const xpath::Condition>(e, xpath::Condition::Form::selection);
    return leaves.scanned(std::move(leaf), e.offset);
}

std::shared_ptr<const xpath::Condition> scan_path(const Expression& e, const FilterLimits& limits) {
    if (e.type != ValueType::node_set) throw Fault{e.offset, "expected a path"};
    refuse_unscannable(e, limits);
    const Expression* variable = find(e, [](const Expression& part) { return part.kind == Kind::variable; });
    if (variable) throw Fault{variable->offset, "expected a path without variables"};
    return std::make_shared<const xpath::Condition>(e, xpath::Condition::Form::selection);
}

}  // namespace sluice::filter
