// Passes appended events from the log to the matcher, in the order of the appends.
#pragma once

#include "broker/core/matching/event_queue.hpp"
#include "broker/store/event_log.hpp"

namespace sluice::broker {

// What a publisher in this process attaches to an append: the events with their parsed document, and their place in the
// queue. The place is reserved before the append, so appended events are certain to be matched. (A log with other
// writers will need the records to be parsed again here: feed::parse_record.)
struct HeldEvents final : store::Attachment {
    explicit HeldEvents(EventQueue::Place held) : place(std::move(held)) {}

    EventQueue::Place place;
};

// The log's listener.
inline void dispatch(const store::Append& append) {
    const feed::EventRecord& first = append.events.front();
    static_cast<HeldEvents&>(*append.attachment).place.push(first.id, first.time);
}

}  // namespace sluice::broker
