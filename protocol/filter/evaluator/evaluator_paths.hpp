// Visits the nodes of an expression without building a set of them. Included only by the Evaluator's sources.
#pragma once

#include "protocol/filter/evaluator/evaluator.hpp"

namespace sluice::xpath {

// Calls visit(node) in document order; visit returns true to stop.
template <class Visit>
bool Evaluator::each(const CompiledExpression& e, const Scope& scope, const Visit& visit) const {
    if (e.kind == Kind::variable) {
        const auto [begin, end] = variables_->ranges[e.id];
        for (std::uint32_t i = begin; i < end; ++i) {
            meter_.spend(1);
            if (visit(index_.size() + i)) return true;
        }
        return false;
    }
    if (e.direct && e.memo == CompiledExpression::none) return any(e, scope, visit);
    NodeSet storage(memory_);
    for (const Node node : nodes(e, scope, storage)) {
        meter_.spend(1);
        if (visit(node)) return true;
    }
    return false;
}

// The same, in any order.
template <class Visit>
bool Evaluator::any(const CompiledExpression& e, const Scope& scope, const Visit& visit) const {
    if (!e.distinct || e.memo != CompiledExpression::none) return each(e, scope, visit);
    meter_.spend(steps_per_expression);
    return walk_distinct(e, 0, e.absolute ? document_node : scope.node, visit);
}

template <class Visit>
bool Evaluator::walk_distinct(const CompiledExpression& path, std::size_t step, Node node, const Visit& visit) const {
    if (step == path.steps.size()) return visit(node);
    const CompiledStep& taken = path.steps[step];
    if (taken.positional()) {
        const Node chosen = choose(taken, node);
        return chosen != no_node && walk_distinct(path, step + 1, chosen, visit);
    }
    return axes_.walk(taken.axis, node, test_of(taken),
                      [&](Node next) { return passes(taken, next) && walk_distinct(path, step + 1, next, visit); });
}

}  // namespace sluice::xpath
