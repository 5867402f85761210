// The engine's vocabulary: what a subscription asks of an event. Plain values; any thread may use them.
// A filter (protocol/filter) compiles to a Disjunction; an event (protocol/feed) becomes values of attributes
// (event_batch.hpp). The engine gives no meaning to an attribute's text: it is a name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sluice {

// An operator looks at every value of its attribute and holds if it holds for at least one of them (the existential
// rule of XPath 1.0 node-set comparisons); with no value it is false. Strings compare by bytes. Numbers are IEEE
// doubles: NaN is unequal to everything and neither less nor greater.
enum class Operator : std::uint8_t {
    exists,
    equal,
    not_equal,
    contains,
    starts_with,
    ends_with,
    number_equal,
    number_not_equal,
    less,
    less_equal,
    greater,
    greater_equal,
    scanned,  // decided outside the engine, by EventBatch::scan; the attribute is the leaf's opaque key
};

constexpr bool is_numeric(Operator op) { return op >= Operator::number_equal && op <= Operator::greater_equal; }
constexpr bool is_textual(Operator op) { return op >= Operator::equal && op <= Operator::ends_with; }

// (attribute, operator, operand). Numeric operators read `number`, textual ones `text`, the others neither; the operand
// that is not read keeps its default, so that equal predicates compare equal.
struct Predicate {
    std::string attribute;
    Operator op = Operator::exists;
    std::string text;
    double number = 0;

    // Equal as predicates: numbers by bit pattern, except that -0 and +0 are one operand.
    friend bool operator==(const Predicate& a, const Predicate& b);
};

struct PredicateHash {
    std::size_t operator()(const Predicate& p) const;
};

struct Literal {
    Predicate predicate;
    bool negated = false;

    friend bool operator==(const Literal&, const Literal&) = default;
};

using Conjunction = std::vector<Literal>;      // empty: always true
using Disjunction = std::vector<Conjunction>;  // empty: always false

}  // namespace sluice
