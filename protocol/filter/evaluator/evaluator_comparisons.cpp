// Comparisons (3.4).
#include <algorithm>

#include "protocol/filter/evaluator/evaluator_paths.hpp"

namespace sluice::xpath {

namespace {

using Kind = filter::Expression::Kind;

constexpr std::size_t few_pairs = 64;  // up to this, no hash table is made

}  // namespace

bool Evaluator::compare(const CompiledExpression& e, const Scope& scope) const {
    const CompiledExpression &a = e.operands[0], &b = e.operands[1];
    const bool sets[] = {a.type == filter::ValueType::node_set, b.type == filter::ValueType::node_set};
    if (sets[0] && sets[1]) return compare_sets(e.kind, a, b, scope);
    if (sets[0]) return compare_set(e.kind, a, b, scope);
    if (sets[1]) return compare_set(mirrored(e.kind), b, a, scope);
    return compare_values(e.kind, a, b, scope);
}

bool Evaluator::compare_values(Kind kind, const CompiledExpression& a, const CompiledExpression& b,
                               const Scope& scope) const {
    const auto either = [&](filter::ValueType type) { return a.type == type || b.type == type; };
    if (is_equality(kind) && either(filter::ValueType::boolean))
        return (boolean(a, scope) == boolean(b, scope)) == (kind == Kind::equal);
    if (!is_equality(kind) || either(filter::ValueType::number))
        return compare_numbers(kind, number(a, scope), number(b, scope));
    const Text left = string(a, scope), right = string(b, scope);
    return texts_.equal(left.view(), right.view()) == (kind == Kind::equal);
}

bool Evaluator::compare_set(Kind kind, const CompiledExpression& set, const CompiledExpression& value,
                            const Scope& scope) const {
    if (value.type == filter::ValueType::boolean)
        return compare_numbers(kind, boolean(set, scope) ? 1 : 0, boolean(value, scope) ? 1 : 0);
    if (value.type == filter::ValueType::number || !is_equality(kind)) {
        const double wanted = number(value, scope);
        return any(set, scope, [&](Node node) { return compare_numbers(kind, texts_.number(text_of(node)), wanted); });
    }
    const Text wanted = string(value, scope);
    if (Part* part = kind == Kind::equal ? known_part(set, scope) : nullptr)
        return texts_of(*part).contains(wanted.view(), meter_);
    return any(set, scope,
               [&](Node node) { return texts_.equal(text_of(node), wanted.view()) == (kind == Kind::equal); });
}

bool Evaluator::compare_sets(Kind kind, const CompiledExpression& a, const CompiledExpression& b,
                             const Scope& scope) const {
    if (kind == Kind::equal) return have_equal(a, b, scope);
    if (kind == Kind::not_equal) return variety_of(a, scope).differs_from(variety_of(b, scope), meter_);
    return range_of(a, scope).compares(kind, range_of(b, scope));
}

bool Evaluator::have_equal(const CompiledExpression& a, const CompiledExpression& b, const Scope& scope) const {
    Part *part_a = known_part(a, scope), *part_b = known_part(b, scope);
    if (part_a || part_b) {
        const CompiledExpression& other = part_b ? a : b;
        const TextSet& texts = texts_of(part_b ? *part_b : *part_a);
        return any(other, scope, [&](Node node) { return texts.contains(text_of(node), meter_); });
    }
    NodeSet storage_a(memory_), storage_b(memory_);
    const NodeSet& nodes_a = nodes(a, scope, storage_a);
    if (nodes_a.empty()) return false;
    const NodeSet& nodes_b = nodes(b, scope, storage_b);
    return nodes_a.size() < nodes_b.size() ? have_equal(nodes_a, nodes_b) : have_equal(nodes_b, nodes_a);
}

bool Evaluator::have_equal(const NodeSet& a, const NodeSet& b) const {
    if (a.size() <= 1 || a.size() * b.size() <= few_pairs) {
        return std::any_of(a.begin(), a.end(), [&](Node node) {
            return std::any_of(b.begin(), b.end(), [&](Node other) {
                meter_.spend(1);
                return texts_.equal(text_of(node), text_of(other));
            });
        });
    }
    const TextSet texts = texts_of(a);
    return std::any_of(b.begin(), b.end(), [&](Node node) { return texts.contains(text_of(node), meter_); });
}

const TextSet& Evaluator::texts_of(Part& part) const {
    if (!part.texts) part.texts = texts_of(part.nodes);
    return *part.texts;
}

TextSet Evaluator::texts_of(const NodeSet& nodes) const {
    meter_.spend(steps_per_set + nodes.size());
    TextSet texts(nodes.size(), memory_);
    for (const Node node : nodes) texts.add(text_of(node), meter_);
    return texts;
}

NumberRange Evaluator::range_of(const CompiledExpression& e, const Scope& scope) const {
    Part* part = known_part(e, scope);
    if (part && part->range) return *part->range;
    NumberRange range;
    any(e, scope, [&](Node node) { return range.add(texts_.number(text_of(node))), false; });
    if (part) part->range = range;
    return range;
}

Variety Evaluator::variety_of(const CompiledExpression& e, const Scope& scope) const {
    Part* part = known_part(e, scope);
    if (part && part->variety) return *part->variety;
    Variety variety;
    any(e, scope, [&](Node node) { return variety.add(text_of(node), meter_); });
    if (part) part->variety = variety;
    return variety;
}

}  // namespace sluice::xpath
