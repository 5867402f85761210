// `sluice match --since`: tries a filter on the events that a broker retains. Called once, from match().
#pragma once

#include "broker/cli/commands.hpp"
#include "broker/cli/common/console.hpp"

namespace sluice::cli {

// Prints how many events match in each hour, then the newest of them; as JSON, the broker's reply. Returns the exit
// status.
int match_past(const MatchOptions& options, const Console& console);

}  // namespace sluice::cli
