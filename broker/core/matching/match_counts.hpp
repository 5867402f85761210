// Adds the cost of a batch to the daemon's counters, and logs slow conditions. Any thread.
#pragma once

#include <chrono>

#include "broker/core/counters.hpp"
#include "broker/core/matching/batch_matcher.hpp"
#include "broker/core/matching/event_queue.hpp"

namespace sluice::broker {

void count_match_time(Counters& counters, Lane lane, std::chrono::steady_clock::duration took);
void count_work(Counters& counters, const operators::OperatorWork& work);
void count_scans(Counters& counters, const ScanCost& cost, const engine::Program& program);

}  // namespace sluice::broker
