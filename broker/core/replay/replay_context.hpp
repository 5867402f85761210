// What all replays have in common. Plain values.
#pragma once

#include "broker/base/memory/memory_budget.hpp"
#include "broker/core/counters.hpp"
#include "broker/core/delivery/event_memory.hpp"
#include "broker/core/matching/event_queue.hpp"
#include "broker/match/batch_matcher.hpp"
#include "broker/store/event_log.hpp"
#include "config/options.hpp"
#include "protocol/feed/model/document.hpp"
#include "protocol/filter/filter.hpp"

namespace sluice::broker {

struct ReplaySettings {
    BatchLimits limits = {};
    filter::FilterLimits filters = {};
    feed::FeedLimits documents = {};
    config::UndecidedPolicy undecided = config::UndecidedPolicy::gap;
};

// The parts of the broker that replays use. They outlive them.
struct ReplayContext {
    store::EventLog& log;
    const EventQueue& queue;
    EventMemory& event_memory;
    base::MemoryBudget& memory;
    Counters& counters;
};

}  // namespace sluice::broker
