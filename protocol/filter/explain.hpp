// Says in plain words what a compiled filter does. Pure function; any thread.
#pragma once

#include <string>

#include "protocol/filter/filter.hpp"

namespace sluice {

// Several lines: the canonical filter, its form, each leaf with how it is decided and why, and the conjunctions.
std::string explain(const Filter& filter);

// "indexed on price", "computed on title: a regular expression …", "scanned: its path has '//'".
std::string way_of(const Leaf& leaf);

}  // namespace sluice
