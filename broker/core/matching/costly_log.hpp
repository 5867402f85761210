// Warns of conditions that take too long. Their texts are the subscribers': a warning has none, only lines of the level
// debug do, shortened. `costly_conditions` in GET /v1/status names them. Any thread.
#pragma once

#include <chrono>
#include <string_view>

namespace sluice::broker {

// A condition of whose events some were left undecided, the first time.
void warn_of_budget(std::string_view condition);
// A condition whose evaluation for one event took so long.
void warn_of_slowness(std::string_view condition, std::chrono::steady_clock::duration took);

}  // namespace sluice::broker
