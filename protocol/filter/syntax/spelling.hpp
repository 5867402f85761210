// The spelling of XPath's operators and axes, and the precedence of operators, for the parser and the writer. Pure
// functions of static data; any thread.
#pragma once

#include <optional>
#include <string_view>

#include "protocol/filter/syntax/syntax_tree.hpp"

namespace sluice::filter {

struct BinaryOperator {
    std::string_view text;
    Expression::Kind kind;
    int precedence;  // higher binds more tightly
};

inline constexpr int precedence_min = 1;
inline constexpr int precedence_negate = 7;  // tighter than the other operators, less tight than "|"
inline constexpr int precedence_union = 8;
inline constexpr int precedence_primary = 9;  // of paths, calls and constants

// Null if there is no such operator.
const BinaryOperator* find_operator(std::string_view text);
const BinaryOperator* find_operator(Expression::Kind kind);
int precedence(Expression::Kind kind);

// What to write in place of an operator of another language: "'='" for "==", "'and'" for "AND", "contains(…)" for
// "like". "" if there is nothing to suggest.
std::string_view sign_meant(std::string_view text);  // for the first characters of `text`
std::string_view word_meant(std::string_view word);

std::string_view axis_name(Axis axis);
std::optional<Axis> find_axis(std::string_view name);

}  // namespace sluice::filter
