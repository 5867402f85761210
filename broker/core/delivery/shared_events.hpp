// The shared events of one batch. Each is created when the first subscriber with a given renderer needs it. Belongs to
// one thread; the events outlive it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "broker/core/delivery/event_memory.hpp"
#include "broker/core/delivery/renderer.hpp"

namespace sluice::broker {

class SharedEvents {
public:
    // `memory` may be null: the events are then not charged.
    SharedEvents(std::span<const feed::Event> events, EventMemory* memory) : events_(events), memory_(memory) {}

    const SharedEventPtr& with_text(std::size_t e, const Renderer& renderer);
    const SharedEventPtr& without_text(std::size_t e);  // for gaps

    void forget() { rendered_ = {}; }  // afterwards each event lives only as long as its deliveries

private:
    struct Rendered {
        const Renderer* renderer;  // null: without text
        std::vector<SharedEventPtr> events;
    };

    SharedEventPtr& place(std::size_t e, const Renderer* renderer);
    SharedEventPtr make(std::size_t e, const Renderer* renderer) const;

    std::span<const feed::Event> events_;
    EventMemory* memory_;
    std::vector<Rendered> rendered_;  // one per renderer: few
};

}  // namespace sluice::broker
