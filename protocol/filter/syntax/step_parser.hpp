// Parses the part of a location step before its predicates: axis and node test, or their abbreviations "@", "." and
// ".." (XPath 1.0 §2.3, §2.5). Throws a Fault. Pure functions; any thread.
#pragma once

#include "protocol/filter/syntax/syntax_tree.hpp"
#include "protocol/filter/syntax/token_reader.hpp"

namespace sluice::filter {

bool starts_step(const TokenReader& tokens);
// Refuses a '[' after "." and "..".
Step parse_step(TokenReader& tokens);

}  // namespace sluice::filter
