// Splits leading self:: and parent:: steps off a path. They lead to at most one node, so their names and predicates are
// conditions on their own: parent::channel[@id]/title is name(..) = 'channel' and ../@id and ../title. Any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "protocol/filter/syntax/syntax_tree.hpp"

namespace sluice::filter {

struct SelfSteps {
    struct Condition {
        std::size_t parents = 0;  // of the tested node
        NodeTest test;
        std::vector<Expression> predicates;
    };

    std::vector<Condition> conditions;
    std::size_t parents = 0;  // of the node that the steps lead to
    Expression rest;          // the steps that follow, or "."
};

// Nothing if there are no such steps, none of them has a condition, or one selects by position.
std::optional<SelfSteps> split_self_steps(const Expression& path, std::size_t parents);

// True if the predicate does not depend on the position of its node.
bool is_condition(const Expression& predicate);

}  // namespace sluice::filter
