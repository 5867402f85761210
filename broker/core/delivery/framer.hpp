// Writes deliveries in a protocol, with events in one format. It outlives its subscribers; those of the same protocol
// and format may share one. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>

#include "broker/core/delivery/delivery.hpp"
#include "broker/core/delivery/end_reason.hpp"
#include "broker/core/delivery/event_format.hpp"
#include "broker/core/delivery/pieces.hpp"

namespace sluice::broker {

class Framer {
public:
    explicit Framer(const EventFormat& of_events) : format(of_events) {}
    Framer(const Framer&) = delete;
    Framer& operator=(const Framer&) = delete;
    virtual ~Framer() = default;

    const EventFormat& format;  // of SharedEvent::body

    // The exact number of bytes that write() adds: delivery.queue_bytes counts them. Does not read Delivery::bytes.
    virtual std::size_t bytes(const Delivery& delivery) const = 0;

    // Writes a delivery: its event's body with the protocol's frame and the subscriber's own part or, for a gap, what
    // stands in their place. The body is shared; all other text is copied into the pieces. Called by the session's
    // thread; the delivery must outlive the pieces.
    virtual void write(const Delivery& delivery, Pieces& pieces) const = 0;

    // The last text that a session writes.
    virtual std::string end_text(const EndReason& reason) const = 0;
};

}  // namespace sluice::broker
