// What every command has in common: how it prints, and its exit status. Plain values.
#pragma once

#include "broker/cli/common/console.hpp"

namespace sluice::cli {

// As for grep: 1 is a result (nothing matched), 2 is a failure. 3: match left an item undecided.
constexpr int exit_done = 0, exit_no_match = 1, exit_failed = 2, exit_undecided = 3;
constexpr int exit_interrupted = 130;  // as shells report a process that Ctrl-C ended

// Of every command. `json`: results are JSON, one object a line, and so are messages.
struct OutputOptions {
    bool json = false;
    ColourChoice colour = ColourChoice::automatic;
};

}  // namespace sluice::cli
