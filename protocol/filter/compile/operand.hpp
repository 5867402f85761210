// Recognises expressions that are attributes, that is, values that extraction can read out of an event. Pure functions;
// any thread.
#pragma once

#include <cstddef>
#include <optional>

#include "protocol/filter/syntax/attribute.hpp"
#include "protocol/filter/syntax/syntax_tree.hpp"

namespace sluice::filter {

// node_set, strings and numbers are compared value by value; string and number have exactly one value.
struct Operand {
    Attribute attribute;
    ValueType type = ValueType::node_set;
};

// `parents`: how many levels the expression's context node is above the event's element.
std::optional<Operand> as_operand(const Expression& simplified, std::size_t parents);

// A location path as an AttributePath; nothing if it has another axis or a predicate, or starts at the root.
std::optional<AttributePath> as_attribute_path(const Expression& simplified, std::size_t parents);

// Whether the operand has texts that a function can search.
constexpr bool is_textual(ValueType operand) { return operand != ValueType::number && operand != ValueType::numbers; }

}  // namespace sluice::filter
