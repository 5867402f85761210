// Converts the options into the budgets of conditions, for the daemon and for `sluice match`. Pure function; any
// thread.
#pragma once

#include "broker/match/batch_matcher.hpp"
#include "config/options.hpp"

namespace sluice::broker {

// `memory`: null: what evaluating takes is charged to nobody. For the owners see BatchLimits.
BatchLimits batch_limits(const config::LimitOptions& options, base::MemoryBudget* memory,
                         const ScanOwners* owners = nullptr, const ScanOwners* computed_owners = nullptr);

}  // namespace sluice::broker
