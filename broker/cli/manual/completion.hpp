// Writes scripts with which shells complete the command lines of programs: commands, options, their choices, and the
// names of files where one is expected. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "broker/cli/manual/command_tree.hpp"

namespace sluice::cli {

using Programs = std::vector<Command>;

enum class Shell { bash, zsh, fish };

// The script that `shell` reads.
std::string completion_script(Shell shell, const Programs& programs);

std::string bash_completion(const Programs& programs);
std::string zsh_completion(const Programs& programs);
std::string fish_completion(const Programs& programs);

// "'text'", as all three shells read it if it has no backslash.
std::string shell_quoted(std::string_view text);

}  // namespace sluice::cli
