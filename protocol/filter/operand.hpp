// Which expressions are attributes, that is values that extraction can read out of an event. Pure functions; any
// thread.
#pragma once

#include <cstddef>
#include <optional>

#include "protocol/filter/attribute.hpp"
#include "protocol/filter/syntax_tree.hpp"

namespace sluice::xpath {

// node_set, strings and numbers are compared value by value; string and number have exactly one value.
struct Operand {
    Attribute attribute;
    ValueType type = ValueType::node_set;
};

// `parents`: how many levels above the event's element the context node of the expression is.
std::optional<Operand> as_operand(const Expression& simplified, std::size_t parents);

// A location path as an AttributePath; nothing where it has another axis, a predicate, or starts at the root.
std::optional<AttributePath> as_attribute_path(const Expression& simplified, std::size_t parents);

// The attribute that gives string() of the operand: of the first node only. Nothing if it is no text.
std::optional<Attribute> string_of(const Operand& operand);

}  // namespace sluice::xpath
