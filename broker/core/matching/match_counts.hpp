// Adds the cost of a batch to the daemon's counters, and logs slow conditions. Any thread.
#pragma once

#include <chrono>

#include "broker/core/counters.hpp"
#include "broker/core/matching/event_queue.hpp"
#include "broker/match/batch_matcher.hpp"

namespace sluice::broker {

void count_match_time(Counters& counters, Lane lane, Processor processor, std::chrono::steady_clock::duration took);
// Of the last batch that was matched.
void count_costs(Counters& counters, const BatchMatcher& matcher, const engine::Program& program) noexcept;

}  // namespace sluice::broker
