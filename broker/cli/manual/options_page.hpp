// Writes the daemon's default configuration as a manual page. Pure functions.
#pragma once

#include <string_view>

#include "broker/cli/manual/roff.hpp"

namespace sluice::cli {

// Appends what `yaml` has: the comment at its beginning as DESCRIPTION, then a subsection for each section, with each
// option's name, default and comment. Options in lines that are commented out are examples, listed likewise.
void add_options(RoffPage& page, std::string_view yaml);

}  // namespace sluice::cli
