// Adds `user` and its commands to the command line. Called from main, on one thread.
#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
}

namespace sluice::cli {

void add_user_commands(CLI::App& app, int& exit_status);

}  // namespace sluice::cli
