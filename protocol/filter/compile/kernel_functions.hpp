// Compiles calls of functions that an operator of the engine computes: regular expressions, approximate matching,
// alignment, recurrence analysis. Throws a Fault for arguments that must be constant but are not, are out of range,
// name an unknown scheme … Pure functions; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "gpu/api/predicate.hpp"
#include "protocol/filter/compile/compiled_filter.hpp"
#include "protocol/filter/syntax/attribute.hpp"
#include "protocol/filter/syntax/syntax_tree.hpp"

namespace sluice::filter {

bool is_kernel_call(const Expression& expression);

// What a call computes. A boolean call is a comparison of its measure: matches() is `!= 0`, approx-contains() is `<=
// k`.
struct KernelCall {
    engine::Measure measure;
    engine::Operator op = engine::Operator::number_not_equal;
    double number = 0;
};
KernelCall compile_kernel_call(const Expression& simplified, const FilterLimits& limits);

// The attribute whose values the call reads. The context node is `parents` levels above the event's element.
Attribute searched_attribute(const Expression& simplified, std::size_t parents);

// Writes the measure as a call of its function: "approx-distance(title, 'kernel')".
std::string measure_text(const std::string& attribute, const engine::Measure& measure);

}  // namespace sluice::filter
