// Runs a command line by /bin/sh -c, and waits for its end. Any thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::cli {

struct ShellResult {
    std::string error{};  // why it could not be run; empty: it was
    int exit_status = 0;  // as shells have it: 128 and the signal's number if a signal ended it
    int signal = 0;       // that ended it; 0: none
};

// Standard input is `input`, whether the command reads it or not; the other streams are this process's. `variables` are
// added to the environment.
ShellResult run_shell_command(const std::string& command, std::string_view input,
                              const std::vector<std::pair<std::string, std::string>>& variables);

}  // namespace sluice::cli
