#include "protocol/filter/compile/searches.hpp"

#include <algorithm>
#include <vector>

#include "protocol/filter/compile/self_steps.hpp"

namespace sluice::filter {

namespace {

using Kind = Expression::Kind;

// Powers of the document's size: for the work at each context node, and for the work done once for all of them.
struct Powers {
    std::size_t each = 0, once = 0;

    void add(const Powers& other) {
        each = std::max(each, other.each);
        once = std::max(once, other.once);
    }
};

Powers powers_of(const Expression& e);

Powers powers_of(const std::vector<Expression>& list) {
    Powers powers;
    for (const Expression& e : list) powers.add(powers_of(e));
    return powers;
}

bool goes_down(Axis axis) { return axis == Axis::child || axis == Axis::attribute; }
bool goes_up(Axis axis) { return axis == Axis::parent || axis == Axis::ancestor || axis == Axis::ancestor_or_self; }
bool stays(Axis axis) { return axis == Axis::self || axis == Axis::name_space; }

Powers powers_of_path(const Expression& path) {
    Powers powers = powers_of(path.operands);
    const Powers of_head = powers_of(path.predicates);
    powers.add({of_head.each > 0 ? of_head.each + 1 : 0, of_head.once});
    bool from_above = path.absolute;  // downward steps then reach more than the context node's subtree
    bool from_many = !path.operands.empty();
    bool single = path.operands.empty();  // a predicate is then evaluated once
    for (const Step& step : path.steps) {
        const bool leaps = !goes_down(step.axis) && !goes_up(step.axis) && !stays(step.axis);
        const bool counts = !std::all_of(step.predicates.begin(), step.predicates.end(), is_condition);
        std::size_t here = leaps || (goes_down(step.axis) && from_above) ? 1 : 0;
        if (leaps && counts && from_many) here = 2;  // positions are those of each node's own axis
        single = single && (step.axis == Axis::self || step.axis == Axis::parent);
        const Powers nested = powers_of(step.predicates);
        if (nested.each > 0) here = std::max(here, single ? nested.each : nested.each + 1);
        powers.add({here, nested.once});
        from_above = from_above || goes_up(step.axis);
        from_many = from_many || leaps || (goes_down(step.axis) && from_above);
    }
    return powers;
}

Powers powers_of(const Expression& e) {
    Powers powers = e.kind == Kind::path ? powers_of_path(e) : powers_of(e.operands);
    if (!reads_context(e)) powers = {0, std::max(powers.each, powers.once)};
    return powers;
}

std::string steps(std::size_t power) {
    return power == 1 ? "about n steps" : "about n^" + std::to_string(power) + " steps";
}

}  // namespace

bool reads_context(const Expression& e) {
    if (e.kind == Kind::call && (e.text == "position" || e.text == "last" || e.text == "lang")) return true;
    if (e.kind == Kind::path && e.operands.empty()) return !e.absolute;
    return std::any_of(e.operands.begin(), e.operands.end(), reads_context);
}

std::size_t nested_searches(const Expression& e) {
    const Powers powers = powers_of(e);
    return std::max(powers.each, powers.once);
}

std::string cost_in_words(const Expression& e, bool shared) {
    const std::size_t power = nested_searches(e);
    if (shared) return steps(std::max<std::size_t>(power, 1)) + " for a document of n nodes, once for all its items";
    if (power == 0) return "about as many steps as the item has nodes";
    return steps(power) + " for a document of n nodes, for each item that needs it";
}

}  // namespace sluice::filter
