// Turns parsed documents into events: deduplicates their items, then appends the new ones to the log, all of a document
// or nothing. Their place in the queue is reserved first; it and the remembered items stay with the append, or not at
// all. From the log the events go to the matcher (core/matching/dispatch.hpp). Any thread; publishers to different
// streams hardly contend.
#pragma once

#include <boost/system/result.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/core/counters.hpp"
#include "broker/core/ingest/publication.hpp"
#include "broker/core/ingest/stored_items.hpp"
#include "broker/core/ingest/streams.hpp"
#include "broker/core/matching/event_queue.hpp"
#include "broker/store/event_log.hpp"
#include "broker/store/wall_clock.hpp"

namespace sluice::broker {

class Publisher {
public:
    using Outcome = PublishOutcome;
    using Done = PublishDone;

    // `clock`: by which items that were not seen for long are forgotten.
    Publisher(Streams::Settings settings, EventQueue& queue, store::EventLog& log, Counters& counters,
              base::MemoryBudget& memory, store::WallClock clock = store::wall_time);

    // Returns the outcome if it is known at once. Otherwise `done` receives it, once, on the log's thread. After a
    // refusal other than PublishRefusal::unavailable, or an exception, nothing has been published or remembered, and
    // the publication can be tried again. A publication that only repeats items being appended completes with them.
    // Where the log keeps items on disk, it may refuse it as PublishRefusal::not_looked_up until it is given what
    // look_up() `found`, which may have to be repeated. `wake`: later only if it completes_at_once().
    std::optional<Outcome> publish(const std::shared_ptr<const Publication>& publication, Done done,
                                   const StoredItems* found = nullptr, EventQueue::Wake wake = EventQueue::Wake::now);
    // Looks up which of its items are on disk, for which it may wait. Only after PublishRefusal::not_looked_up.
    boost::system::result<StoredItems, PublishRefusal> look_up(const Publication& publication);
    // Whether publish() always returns the outcome: it needs no `done` then.
    bool completes_at_once() const { return log_.appends_at_once(); }

    Streams& streams() { return streams_; }

private:
    std::optional<Outcome> publish_locked(const StreamPtr& stream, const std::shared_ptr<PublishAttempt>& attempt,
                                          const StoredItems* found);
    Outcome publish_at_once(Stream& stream, PublishAttempt& attempt, const StoredItems* found);
    std::vector<feed::EventHead> see(Stream& stream, PublishAttempt& attempt, const StoredItems* found);
    std::vector<feed::EventHead> see_stored(Stream& stream, PublishAttempt& attempt, const StoredItems* found,
                                            feed::RecordTime now);
    PublishRefusal refuse(Stream& stream, store::AppendError error);
    Outcome finish(Stream& stream, PublishAttempt& attempt);
    void settle(Stream& stream, PublishAttempt& attempt, const store::AppendResult& result);

    EventQueue& queue_;
    store::EventLog& log_;
    store::DurableState* const durable_;  // the log's; null: it has none
    Counters& counters_;
    const store::WallClock clock_;
    Streams streams_;
};

}  // namespace sluice::broker
