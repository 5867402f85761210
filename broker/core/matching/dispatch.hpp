// Passes appended events from the log to the matcher, in the order of the appends. The log's listener; the thread that
// the log calls it on.
#pragma once

#include <cstddef>

#include "broker/core/counters.hpp"
#include "broker/core/matching/event_queue.hpp"
#include "broker/core/matching/fanout.hpp"
#include "broker/store/event_log.hpp"
#include "protocol/feed/model/document.hpp"

namespace sluice::broker {

class Dispatch {
public:
    // `limits`: those of today, for documents that must be parsed again (parse_record).
    Dispatch(EventQueue& queue, Fanout& fanout, Counters& counters, const feed::FeedLimits& limits)
        : queue_(queue), fanout_(fanout), counters_(counters), limits_(limits) {}

    // The events of a publisher in this process have their place in the queue. Others' documents are parsed from their
    // records. If one can't be, all of its events are lost; otherwise only those whose item is not where it should be.
    // All who might get a lost event are told.
    void operator()(const store::Append& append) const noexcept;

private:
    void parse_and_push(const store::Append& append) const;
    void lose(const store::Append& append, std::size_t events, const char* why) const noexcept;

    EventQueue& queue_;
    Fanout& fanout_;
    Counters& counters_;
    feed::FeedLimits limits_;
};

}  // namespace sluice::broker
