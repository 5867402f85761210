#include "protocol/filter/evaluator/evaluator.hpp"

#include <algorithm>
#include <cmath>

#include "protocol/filter/syntax/xpath_number.hpp"

namespace sluice::xpath {

KnownParts::KnownParts(const Condition& condition, const DocumentIndex& index, std::pmr::memory_resource* memory)
    : memory_(memory) {
    names_.reserve(condition.names().size());
    parts_.reserve(condition.memos());
    for (const std::string& name : condition.names()) names_.push_back(index.find_name(name));
    for (std::size_t i = 0; i < condition.memos(); ++i) parts_.emplace_back(memory);
}

void KnownParts::use_variables(std::uint64_t version) {
    if (version == version_) return;
    version_ = version;
    for (Part& part : parts_)
        if (part.of_event) part = Part(memory_);
}

void KnownParts::forget() {
    for (Part& part : parts_) part = Part(memory_);
}

Evaluator::Evaluator(const Condition& condition, const DocumentIndex& index, const VariableValues* variables,
                     KnownParts& parts, Meter& meter, std::pmr::memory_resource* memory)
    : condition_(condition),
      index_(index),
      variables_(variables),
      parts_(parts),
      meter_(meter),
      memory_(memory),
      axes_(index, meter),
      texts_(meter, memory) {
    if (variables) parts.use_variables(variables->version);
}

bool Evaluator::boolean(Node context) const { return boolean(condition_.root(), {context}); }
double Evaluator::number(Node context) const { return number(condition_.root(), {context}); }
Text Evaluator::string(Node context) const { return string(condition_.root(), {context}); }
NodeSet Evaluator::nodes(Node context) const {
    NodeSet found(memory_);
    compute_nodes(condition_.root(), {context}, found);
    return found;
}

Evaluator::Part* Evaluator::known_part(const CompiledExpression& e, const Scope& scope) const {
    if (e.memo == CompiledExpression::none) return nullptr;
    Part& part = parts_.parts_[e.memo];
    if (part.known) return &part;
    part.of_event = e.reads_variables;
    switch (e.type) {
        case filter::ValueType::node_set:
            part.nodes.clear();
            compute_nodes(e, scope, part.nodes);
            break;
        case filter::ValueType::boolean:
            part.boolean = compute_boolean(e, scope);
            break;
        case filter::ValueType::number:
            part.number = compute_number(e, scope);
            break;
        default:
            part.text = compute_string(e, scope);
            break;
    }
    part.known = true;
    return &part;
}

bool Evaluator::boolean(const CompiledExpression& e, const Scope& scope) const {
    const Part* part = known_part(e, scope);
    if (!part) return compute_boolean(e, scope);
    meter_.spend(1);
    switch (e.type) {
        case filter::ValueType::node_set:
            return !part->nodes.empty();
        case filter::ValueType::number:
            return part->number != 0 && !std::isnan(part->number);
        case filter::ValueType::boolean:
            return part->boolean;
        default:
            return !part->text.view().empty();
    }
}

double Evaluator::number(const CompiledExpression& e, const Scope& scope) const {
    const Part* part = known_part(e, scope);
    if (!part) return compute_number(e, scope);
    meter_.spend(1);
    switch (e.type) {
        case filter::ValueType::node_set:
            return texts_.number(part->nodes.empty() ? std::string_view() : text_of(part->nodes.front()));
        case filter::ValueType::number:
            return part->number;
        case filter::ValueType::boolean:
            return part->boolean ? 1 : 0;
        default:
            return texts_.number(part->text.view());
    }
}

Text Evaluator::string(const CompiledExpression& e, const Scope& scope) const {
    const Part* part = known_part(e, scope);
    if (!part) return compute_string(e, scope);
    meter_.spend(1);
    switch (e.type) {
        case filter::ValueType::node_set:
            return part->nodes.empty() ? Text() : Text(text_of(part->nodes.front()));
        case filter::ValueType::number:
            return texts_.made(filter::xpath_string(part->number));
        case filter::ValueType::boolean:
            return Text(part->boolean ? "true" : "false");
        default:
            return part->text.view();
    }
}

bool Evaluator::compute_boolean(const CompiledExpression& e, const Scope& scope) const {
    meter_.spend(steps_per_expression);
    const auto holds = [&](const CompiledExpression& operand) { return boolean(operand, scope); };
    if (e.kind == Kind::boolean) return e.boolean;
    if (e.kind == Kind::logical_and) return std::all_of(e.operands.begin(), e.operands.end(), holds);
    if (e.kind == Kind::logical_or) return std::any_of(e.operands.begin(), e.operands.end(), holds);
    if (filter::is_comparison(e.kind)) return compare(e, scope);
    switch (e.type) {
        case filter::ValueType::node_set:
            return exists(e, scope);
        case filter::ValueType::number: {
            const double value = compute_number(e, scope);
            return value != 0 && !std::isnan(value);
        }
        case filter::ValueType::boolean:
            return boolean_call(e, scope);
        default:
            return !compute_string(e, scope).view().empty();
    }
}

double Evaluator::compute_number(const CompiledExpression& e, const Scope& scope) const {
    meter_.spend(steps_per_expression);
    if (e.kind == Kind::number) return e.number;
    if (filter::is_arithmetic(e.kind)) return arithmetic(e, scope);
    switch (e.type) {
        case filter::ValueType::node_set: {
            const Node node = first(e, scope);
            return texts_.number(node == no_node ? std::string_view() : text_of(node));
        }
        case filter::ValueType::number:
            return number_call(e, scope);
        case filter::ValueType::boolean:
            return compute_boolean(e, scope) ? 1 : 0;
        default:
            return texts_.number(compute_string(e, scope).view());
    }
}

Text Evaluator::compute_string(const CompiledExpression& e, const Scope& scope) const {
    meter_.spend(steps_per_expression);
    switch (e.type) {
        case filter::ValueType::node_set: {
            const Node node = first(e, scope);
            return node == no_node ? Text() : Text(text_of(node));
        }
        case filter::ValueType::number:
            return texts_.made(filter::xpath_string(compute_number(e, scope)));
        case filter::ValueType::boolean:
            return Text(compute_boolean(e, scope) ? "true" : "false");
        default:
            return e.kind == Kind::string ? Text(std::string_view(e.text)) : string_call(e, scope);
    }
}

double Evaluator::arithmetic(const CompiledExpression& e, const Scope& scope) const {
    const double a = number(e.operands[0], scope);
    if (e.kind == Kind::negate) return -a;
    const double b = number(e.operands[1], scope);
    switch (e.kind) {
        case Kind::multiply:
            return a * b;
        case Kind::divide:
            return a / b;
        case Kind::modulo:
            return std::fmod(a, b);
        case Kind::add:
            return a + b;
        default:
            return a - b;
    }
}

}  // namespace sluice::xpath
