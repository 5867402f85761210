// The result of matching: an event for a subscriber, and which of its filters accept it. Contains no protocol text; the
// event's body is shared by all subscribers of the event with the same format. Plain values: created by a matching
// thread, then owned by a mailbox, then by its session, whose framer writes them.
//
// Sessions settle a delivery once it is written. What a durable subscription has to deliver again is found in the log
// again (decisions/subscriptions.md).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "broker/match/annotations.hpp"
#include "protocol/feed/model/record.hpp"

namespace sluice::broker {

// An event as shared by its subscribers, without its document, so that queued deliveries keep no tree alive.
struct SharedEvent {
    std::shared_ptr<const std::string> stream;  // never null
    std::uint64_t id = 0;                       // position in the log; identifies a delivery to acknowledge
    std::string body;                           // EventFormat::body; empty if used for gaps only
    feed::RecordTime time = 0;                  // when it was appended; 0: unknown
};

using SharedEventPtr = std::shared_ptr<const SharedEvent>;

// Why a filter's answer for an event is not known.
enum class GapReason : std::uint8_t {
    none,         // it is known
    over_budget,  // a condition exceeds its budget
    context,      // the filter looks at siblings, which the log has not kept
    undelivered,  // the broker could not match or deliver the event
};

struct Delivery {
    enum class Kind : std::uint8_t {
        event,
        gap,        // in place of events that the filter could not decide
        reset,      // in place of events that the log no longer has, or can't read
        withdrawn,  // never written: in place of an event asked for again that no filter accepts, or that is gone
    };

    SharedEventPtr event;                // never null; of a gap, the last one; of a reset, the oldest that the log has
    std::uint64_t first_id = 0;          // of a gap's events; of a reset: where it goes on
    GapReason reason = GapReason::none;  // of a gap; of one that is withdrawn: undelivered, if it is gone
    // Of a subscriber of all streams: everything in other streams up to this id has been delivered.
    std::uint64_t decided_id = ~std::uint64_t{0};
    std::size_t gap_events = 0;          // of a gap: how many; their ids may have holes
    std::vector<std::uint32_t> filters;  // accepting it, ascending, if the subscriber wants them; of a gap, the one
    std::shared_ptr<const Annotations> annotations;  // for this subscriber; mostly null
    std::size_t bytes = 0;                           // to be written: the shared text and the subscriber's own part
    Kind kind = Kind::event;
    bool is_damage = false;        // of a reset: the log has the events, but can't read them
    std::uint32_t deliveries = 1;  // of the event to the subscription, with this one; above 1: it may have come before

    // Nothing of it is the subscriber's own: a framer writes the same for all subscribers of the event.
    bool is_shared() const {
        return kind == Kind::event && filters.empty() && !annotations && deliveries == 1 &&
               decided_id == ~std::uint64_t{0};
    }

    // With this, everything up to this id has been delivered.
    std::uint64_t position() const { return kind == Kind::reset ? first_id - 1 : std::min(decided_id, event->id); }

    // Memory that it takes besides the shared event, which is charged separately: the delivery itself, and the text
    // generated to write it, annotations among it.
    std::size_t own_memory() const {
        const std::size_t shared_text = event->body.size();
        return sizeof(Delivery) + filters.capacity() * sizeof(std::uint32_t) +
               (annotations ? annotations->memory_bytes() : 0) + (bytes > shared_text ? bytes - shared_text : 0);
    }
};

}  // namespace sluice::broker
