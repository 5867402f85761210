// A formula as a disjunction of conjunctions of literals. Pure function; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "protocol/filter/formula.hpp"

namespace sluice::xpath {

// A literal is 2 * leaf, + 1 where it is negated.
using LiteralSet = std::vector<std::uint32_t>;  // ascending

struct NormalFormLimits {
    std::size_t conjunctions_max = 0;
    std::size_t literals_max = 0;  // of all conjunctions together
};

// Conjunctions that hold a literal and its negation, or that another one subsumes, are dropped. The work is bounded by
// the limits: a normal form that explodes is given up as soon as it passes one of them. Throws
// a Fault then.
std::vector<LiteralSet> disjunctive_normal_form(const Formula& formula, const NormalFormLimits& limits);

}  // namespace sluice::xpath
