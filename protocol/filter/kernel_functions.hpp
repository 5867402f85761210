// The calls of functions that an operator of the engine computes: regular expressions, approximate matching, alignment,
// recurrence analysis. Throw a Fault for arguments that are not constant where they must be, out of range, of an
// unknown scheme … Pure functions; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "gpu/predicate.hpp"
#include "protocol/filter/attribute.hpp"
#include "protocol/filter/filter.hpp"
#include "protocol/filter/syntax_tree.hpp"

namespace sluice::xpath {

bool is_kernel_call(const Expression& expression);

// What a call computes. A boolean call is a comparison of its measure: matches() of `!= 0`, approx-contains() of `<=
// k`.
struct KernelCall {
    Measure measure;
    Operator op = Operator::number_not_equal;
    double number = 0;
};
KernelCall compile_kernel_call(const Expression& simplified, const FilterLimits& limits);

// The attribute whose values the call looks at, with the node `parents` levels above the event's element as context
// node.
Attribute searched_attribute(const Expression& simplified, std::size_t parents);

// The measure as a call of its function: "approx-distance(title, 'kernel')".
std::string measure_text(const std::string& attribute, const Measure& measure);

}  // namespace sluice::xpath
