#include "protocol/filter/searches.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "protocol/filter/checker.hpp"
#include "protocol/filter/parser.hpp"

namespace sluice::xpath {

namespace {

using Kind = Expression::Kind;

std::size_t deepest(const std::vector<Expression>& list) {
    std::size_t most = 0;
    for (const Expression& e : list) most = std::max(most, nested_searches(e));
    return most;
}

bool goes_down(Axis axis) { return axis == Axis::child || axis == Axis::attribute; }
bool goes_up(Axis axis) { return axis == Axis::parent || axis == Axis::ancestor || axis == Axis::ancestor_or_self; }
bool stays(Axis axis) { return axis == Axis::self || axis == Axis::name_space; }

std::size_t searches_of_path(const Expression& path) {
    std::size_t searches = deepest(path.operands);
    if (const std::size_t nested = deepest(path.predicates); nested > 0) searches = std::max(searches, nested + 1);
    bool from_above = path.absolute;  // so that steps down reach more than what is below the context node
    bool from_many = !path.operands.empty();
    bool single = path.operands.empty();  // so that a predicate is evaluated once
    for (const Step& step : path.steps) {
        const bool leaps = !goes_down(step.axis) && !goes_up(step.axis) && !stays(step.axis);
        const bool sideways = leaps && step.axis != Axis::descendant && step.axis != Axis::descendant_or_self;
        std::size_t here = leaps || (goes_down(step.axis) && from_above) ? 1 : 0;
        if (sideways && from_many) here = 2;
        single = single && (step.axis == Axis::self || step.axis == Axis::parent);
        if (const std::size_t nested = deepest(step.predicates); nested > 0) {
            here = std::max(here, single ? nested : nested + 1);
        }
        searches = std::max(searches, here);
        from_above = from_above || goes_up(step.axis);
        from_many = from_many || leaps || (goes_down(step.axis) && from_above);
    }
    return searches;
}

}  // namespace

std::size_t nested_searches(const Expression& e) {
    if (e.kind == Kind::path) return searches_of_path(e);
    const bool compares_nodes =
        is_comparison(e.kind) && e.operands[0].type == ValueType::node_set && e.operands[1].type == ValueType::node_set;
    // Each node of one side with each of the other.
    if (compares_nodes) return nested_searches(e.operands[0]) + nested_searches(e.operands[1]);
    return deepest(e.operands);
}

std::size_t nested_searches(std::string_view text) {
    Expression e = parse(text, std::string::npos);
    check(e);
    return nested_searches(e);
}

}  // namespace sluice::xpath
