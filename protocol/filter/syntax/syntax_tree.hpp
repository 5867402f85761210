// The syntax tree of a filter. Plain values that own their parts. The parser makes it, the checker types it, simplify()
// rewrites it. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::filter {

enum class Axis : std::uint8_t {
    child,
    attribute,
    self,
    parent,
    descendant,
    descendant_or_self,
    ancestor,
    ancestor_or_self,
    following,
    following_sibling,
    preceding,
    preceding_sibling,
    name_space,
};

struct NodeTest {
    enum class Kind : std::uint8_t {
        name,                    // item, dc:creator
        any_name,                // *
        any_in_namespace,        // dc:*, `name` being "dc:"
        node,                    // node()
        text,                    // text()
        comment,                 // comment()
        processing_instruction,  // processing-instruction(), or with a target as `name`
    };

    Kind kind = Kind::node;
    std::string name;
};

struct Expression;

struct Step {
    Axis axis = Axis::child;
    NodeTest test;
    std::vector<Expression> predicates;
};

// XPath's four types, plus two. The added functions lower-case() and date() of a node-set give one string or number per
// node. Comparisons with them hold, as with a node-set, if they hold for one of the values.
enum class ValueType : std::uint8_t { node_set, string, number, boolean, strings, numbers };

struct Expression {
    enum class Kind : std::uint8_t {
        number,    // 90
        string,    // 'politics'
        boolean,   // only from folding, or true() and false()
        variable,  // $title: `text` is the name
        call,      // `text` is the function's name, the operands its arguments
        path,      // [operand 0, the head, with `predicates`] or `absolute`, then `steps`
        negate,    // -a
        multiply,
        divide,
        modulo,
        add,
        subtract,
        less,
        less_equal,
        greater,
        greater_equal,
        equal,
        not_equal,
        logical_and,  // two operands or more
        logical_or,   // two operands or more
        set_union,    // two operands or more
    };

    Kind kind = Kind::number;
    ValueType type = ValueType::number;
    std::size_t offset = 0;  // of the first character, or of a binary operator
    std::size_t depth = 1;   // of the tree, this node included
    double number = 0;
    bool boolean = false;
    bool absolute = false;
    std::string text;
    std::vector<Expression> operands;
    std::vector<Expression> predicates;
    std::vector<Step> steps;
};

constexpr bool is_constant(const Expression& e) { return e.kind <= Expression::Kind::boolean; }
inline bool is_call(const Expression& e, std::string_view function) {
    return e.kind == Expression::Kind::call && e.text == function;
}
constexpr bool is_comparison(Expression::Kind kind) {
    return kind >= Expression::Kind::less && kind <= Expression::Kind::not_equal;
}
constexpr bool is_equality(Expression::Kind kind) {
    return kind == Expression::Kind::equal || kind == Expression::Kind::not_equal;
}
constexpr bool is_arithmetic(Expression::Kind kind) {
    return kind >= Expression::Kind::negate && kind <= Expression::Kind::subtract;
}

}  // namespace sluice::filter
