// Writes deliveries in one format of a protocol. There is one object per protocol and format. It outlives all
// subscribers; those with the same renderer share the text that it makes of an event. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>

#include "broker/core/delivery/delivery.hpp"
#include "broker/core/delivery/end_reason.hpp"
#include "broker/core/delivery/pieces.hpp"
#include "protocol/feed/model/event.hpp"

namespace sluice::broker {

class Renderer {
public:
    Renderer() = default;
    Renderer(const Renderer&) = delete;
    Renderer& operator=(const Renderer&) = delete;
    virtual ~Renderer() = default;

    // The text common to all subscribers: SharedEvent::text. Called once, before the event's turn to be delivered.
    virtual std::string event_text(const feed::Event& event) const = 0;

    // The exact number of bytes that write() adds: delivery.queue_bytes counts them. Does not read Delivery::bytes.
    virtual std::size_t bytes(const Delivery& delivery) const = 0;

    // Writes a delivery: its event's text, with the subscriber's own part before it, after it or, for a gap, in its
    // place. The event's text and annotations are shared; all other text is copied into the pieces. Called by the
    // session's thread; the delivery must outlive the pieces.
    virtual void write(const Delivery& delivery, Pieces& pieces) const = 0;

    // The last text that a session writes.
    virtual std::string end_text(const EndReason& reason) const = 0;
};

}  // namespace sluice::broker
