// Writes a program's command line as a manual page. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "broker/cli/manual/command_tree.hpp"

namespace sluice::cli {

// The page of a program, section 1 or 8, with all of its commands. Footers become sections: "Examples:", "Environment:"
// and the like stand at the beginning of a paragraph, "Exit status: " before a text. `see_also`: "sluiced(8)".
std::string program_page(const Command& program, int section, std::string_view see_also);

}  // namespace sluice::cli
