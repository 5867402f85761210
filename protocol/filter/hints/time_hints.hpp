// Hints about constants that times are compared with. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <string>

#include "protocol/filter/syntax/syntax_tree.hpp"

namespace sluice::filter {

// What is wrong with the constant that operand `time` of the comparison is compared with: text that is not a date, a
// day with "=", a year or milliseconds as a number. "" if nothing is, or if it is no constant.
std::string describe_time_constant(const Expression& comparison, std::size_t time);

// Of date('yesterday'). "" for every other call.
std::string describe_date_call(const Expression& call);

}  // namespace sluice::filter
