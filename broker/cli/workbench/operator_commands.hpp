// The command line of the commands that run one operator on files: align, search, distance, recurrence. Called from
// main, on one thread.
#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
}

namespace sluice::cli {

// Parsing one of them runs it and stores its exit status.
void add_operator_commands(CLI::App& app, int& exit_status);

// The last of them, whose options are many.
void add_recurrence(CLI::App& app, int& exit_status);

}  // namespace sluice::cli
