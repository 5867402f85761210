// A formula as a disjunction of conjunctions of literals. Pure function; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "protocol/filter/compile/formula.hpp"

namespace sluice::filter {

// A literal is 2 * leaf, plus 1 if it is negated.
using LiteralSet = std::vector<std::uint32_t>;  // ascending

struct NormalFormLimits {
    std::size_t conjunctions_max = 0;
    std::size_t literals_max = 0;  // of all conjunctions together
};

// Drops conjunctions that contain a literal and its negation, or that another conjunction subsumes. The limits bound
// the work: a normal form that explodes is abandoned as soon as it exceeds one of them. Throws a Fault then.
std::vector<LiteralSet> disjunctive_normal_form(const Formula& formula, const NormalFormLimits& limits);

}  // namespace sluice::filter
