// Dates as constants. Where a time is compared with a string that date() reads, the string stands for its seconds since
// 1970: $published >= '2024-01-31'. XPath alone would compare with NaN. Pure functions; any thread.
#pragma once

#include "protocol/filter/syntax/syntax_tree.hpp"

namespace sluice::filter {

// $published, $updated or date(…), also with predicates, in number(…), or plus or minus a constant number, of a checked
// tree. `dot_is_time`: the context node is such a value, as in $published[. > '2024-01-31'].
bool is_time(const Expression& e, bool dot_is_time = false);

// Whether the predicates of a path have a time as their context node.
bool selects_times(const Expression& path, bool dot_is_time);

// Replaces such a string by its number. The operands are simplified, so that equal comparisons are read alike.
void read_time(Expression& comparison, bool dot_is_time);

}  // namespace sluice::filter
