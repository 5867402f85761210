// The shared events of one batch. Each is created when the first subscriber with a given format needs it. Belongs to
// one thread; the events outlive it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "broker/core/delivery/event_format.hpp"
#include "broker/core/delivery/event_memory.hpp"

namespace sluice::broker {

class SharedEvents {
public:
    // `memory` may be null: the events are then not charged.
    SharedEvents(std::span<const feed::Event> events, EventMemory* memory) : events_(events), memory_(memory) {}

    const SharedEventPtr& with_body(std::size_t e, const EventFormat& format);
    const SharedEventPtr& without_body(std::size_t e);  // for gaps

    void forget() { rendered_ = {}; }  // afterwards each event lives only as long as its deliveries

private:
    struct Rendered {
        const EventFormat* format;  // null: without body
        std::vector<SharedEventPtr> events;
    };

    SharedEventPtr& place(std::size_t e, const EventFormat* format);
    SharedEventPtr make(std::size_t e, const EventFormat* format) const;

    std::span<const feed::Event> events_;
    EventMemory* memory_;
    std::vector<Rendered> rendered_;  // one per format: few
};

}  // namespace sluice::broker
