// Leading self:: and parent:: steps of a path lead to one node at most, so their names and predicates are conditions by
// themselves: parent::channel[@id]/title is name(..) = 'channel' and ../@id and ../title. Any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "protocol/filter/syntax_tree.hpp"

namespace sluice::xpath {

struct SelfSteps {
    struct Condition {
        std::size_t parents = 0;  // of the node that is tested
        NodeTest test;
        std::vector<Expression> predicates;
    };

    std::vector<Condition> conditions;
    std::size_t parents = 0;  // of the node they lead to
    Expression rest;          // the steps that follow, or "."
};

// Nothing where there are no such steps, none of them has a condition, or one selects by position.
std::optional<SelfSteps> split_self_steps(const Expression& path, std::size_t parents);

// True for a predicate that holds or not whatever the position of its node.
bool is_condition(const Expression& predicate);

}  // namespace sluice::xpath
