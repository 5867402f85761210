// Describes in plain words what a compiled filter does. Pure function; any thread.
#pragma once

#include <string>

#include "protocol/filter/compile/compiled_filter.hpp"

namespace sluice::filter {

// Several lines: the canonical filter, its form, each leaf with how and why it is decided that way, and the
// conjunctions.
std::string explain(const Filter& filter);

// "indexed on price", "computed on title: a regular expression …", "scanned: its path has '//'".
std::string how_decided(const Leaf& leaf);

}  // namespace sluice::filter
