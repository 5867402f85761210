// Passes appended events from the log to the matcher, in the order of the appends. The log's listener; the thread that
// the log calls it on.
#pragma once

#include "broker/core/counters.hpp"
#include "broker/core/matching/event_queue.hpp"
#include "broker/core/matching/fanout.hpp"
#include "broker/store/event_log.hpp"
#include "protocol/feed/model/document.hpp"

namespace sluice::broker {

class Dispatch {
public:
    // `limits`: of documents that must be parsed again.
    Dispatch(EventQueue& queue, Fanout& fanout, Counters& counters, const feed::FeedLimits& limits)
        : queue_(queue), fanout_(fanout), counters_(counters), limits_(limits) {}

    // The events of a publisher in this process have their place in the queue. Others' documents are parsed from their
    // records; if one can't be, its events are lost, and all who might get them are told.
    void operator()(const store::Append& append) const noexcept;

private:
    void parse_and_push(const store::Append& append) const;

    EventQueue& queue_;
    Fanout& fanout_;
    Counters& counters_;
    feed::FeedLimits limits_;
};

}  // namespace sluice::broker
