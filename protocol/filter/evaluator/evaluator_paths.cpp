// Location paths (2), filter expressions (3.3) and unions.
#include "protocol/filter/evaluator/evaluator_paths.hpp"

#include <cmath>

namespace sluice::xpath {

namespace {

// The position that a constant predicate asks for; 0: no node has it.
std::size_t wanted_position(double number) {
    constexpr double most = 4e9;
    return number >= 1 && number < most && number == std::floor(number) ? static_cast<std::size_t>(number) : 0;
}

}  // namespace

std::string_view Evaluator::text_of(Node node) const {
    meter_.spend(steps_per_text);
    return is_value(node) ? std::string_view(variables_->texts[node - index_.size()])
                          : index_.string_value(node, &meter_);
}

LabelTest Evaluator::test_of(const CompiledStep& step) const {
    LabelTest test = step.test;
    if (step.is_name) test.wanted |= parts_.names_[step.name];
    return test;
}

// The checks that remain for a node that has passed test_of().
bool Evaluator::passes(const CompiledStep& step, Node node) const {
    if (step.is_prefix && !index_.name_text(index_.name(node)).starts_with(condition_.names()[step.name])) {
        return false;
    }
    for (std::size_t i = 0; i < step.plain; ++i)
        if (!boolean(step.predicates[i], {node})) return false;
    return true;
}

const NodeSet& Evaluator::nodes(const CompiledExpression& e, const Scope& scope, NodeSet& storage) const {
    if (const Part* part = known_part(e, scope)) return part->nodes;
    compute_nodes(e, scope, storage);
    return storage;
}

void Evaluator::add_to(NodeSet& set, Node node) const {
    meter_.spend(steps_per_member);
    set.push_back(node);
}

void Evaluator::compute_nodes(const CompiledExpression& e, const Scope& scope, NodeSet& found) const {
    meter_.spend(steps_per_set);
    const auto add = [&](Node node) { return add_to(found, node), false; };
    if (e.kind == Kind::variable) {
        each(e, scope, add);
    } else if (e.kind == Kind::path) {
        path_nodes(e, scope, found);
    } else if (e.kind == Kind::set_union) {
        for (const CompiledExpression& operand : e.operands) each(operand, scope, add);
        sort_nodes(found, meter_);
    }
    // Otherwise it is id(), which finds nothing: there are no DTDs.
}

void Evaluator::path_nodes(const CompiledExpression& path, const Scope& scope, NodeSet& found) const {
    const Node start = path.absolute ? document_node : scope.node;
    if (path.distinct) {
        walk_distinct(path, 0, start, [&](Node node) { return add_to(found, node), false; });
        if (!path.direct) sort_nodes(found, meter_);
        return;
    }
    if (path.operands.empty()) {
        found.push_back(start);
    } else {
        each(path.operands[0], scope, [&](Node node) { return add_to(found, node), false; });
        for (const CompiledExpression& predicate : path.predicates) filter(found, predicate);
    }
    NodeSet next(memory_);
    for (const CompiledStep& step : path.steps) {
        next.clear();
        take_step(step, found, next);
        found.swap(next);
    }
}

void Evaluator::take_step(const CompiledStep& step, const NodeSet& from, NodeSet& found) const {
    if (step.positional()) {
        for (const Node node : from) take_positions(step, node, found);
    } else {
        axes_.walk(step.axis, from, test_of(step), [&](Node node) {
            if (passes(step, node)) add_to(found, node);
            return false;
        });
    }
    sort_nodes(found, meter_);
}

// Positions count along the axis, among the nodes that the preceding predicates have left.
void Evaluator::take_positions(const CompiledStep& step, Node from, NodeSet& found) const {
    if (step.chooses()) {
        const Node chosen = choose(step, from);
        if (chosen != no_node) found.push_back(chosen);
        return;
    }
    meter_.spend(2 * steps_per_expression);
    const CompiledExpression& first = step.predicates[step.plain];
    const bool constant = first.kind == Kind::number;
    const std::size_t wanted = constant ? wanted_position(first.number) : 0;
    if (constant && wanted == 0) return;
    NodeSet list(memory_);
    axes_.walk(step.axis, from, test_of(step), [&](Node node) {
        if (passes(step, node)) add_to(list, node);
        return constant && list.size() == wanted;
    });
    if (list.empty()) return;
    meter_.spend(steps_per_set);
    for (std::size_t i = step.plain; i < step.predicates.size(); ++i) filter(list, step.predicates[i]);
    found.insert(found.end(), list.begin(), list.end());
}

// The node at the position that the step asks for; no_node: none.
Node Evaluator::choose(const CompiledStep& step, Node from) const {
    meter_.spend(2 * steps_per_expression);
    const CompiledExpression& predicate = step.predicates.back();
    const std::size_t wanted = predicate.is_last() ? 0 : wanted_position(predicate.number);
    if (wanted == 0 && !predicate.is_last()) return no_node;
    Node last = no_node;
    std::size_t count = 0;
    axes_.walk(step.axis, from, test_of(step), [&](Node node) {
        if (!passes(step, node)) return false;
        last = node;
        return ++count == wanted;
    });
    return count >= wanted ? last : no_node;
}

void Evaluator::filter(NodeSet& list, const CompiledExpression& predicate) const {
    if (predicate.kind == Kind::number || predicate.is_last()) {
        const std::size_t wanted = predicate.is_last() ? list.size() : wanted_position(predicate.number);
        if (wanted == 0 || wanted > list.size()) return list.clear();
        list.assign(1, list[wanted - 1]);
        return;
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const Scope scope{list[i], i + 1, list.size()};
        meter_.spend(1);
        const bool holds = predicate.type == filter::ValueType::number
                               ? number(predicate, scope) == static_cast<double>(scope.position)
                               : boolean(predicate, scope);
        if (holds) list[kept++] = list[i];
    }
    list.resize(kept);
}

bool Evaluator::exists(const CompiledExpression& e, const Scope& scope) const {
    return any(e, scope, [](Node) { return true; });
}

Node Evaluator::first(const CompiledExpression& e, const Scope& scope) const {
    Node found = no_node;
    each(e, scope, [&](Node node) { return found = node, true; });
    return found;
}

}  // namespace sluice::xpath
