#include "broker/core/delivery/shared_events.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace sluice::broker {

SharedEventPtr& SharedEvents::place(std::size_t e, const Renderer* renderer) {
    auto found = std::find_if(rendered_.begin(), rendered_.end(),
                              [renderer](const Rendered& rendered) { return rendered.renderer == renderer; });
    if (found == rendered_.end())
        found = rendered_.insert(found, {renderer, std::vector<SharedEventPtr>(events_.size())});
    return found->events[e];
}

SharedEventPtr SharedEvents::make(std::size_t e, const Renderer* renderer) const {
    const feed::Event& event = events_[e];
    SharedEvent shared{event.stream, event.id, renderer == nullptr ? std::string() : renderer->event_text(event)};
    return memory_ == nullptr ? std::make_shared<const SharedEvent>(std::move(shared))
                              : memory_->charged(std::move(shared));
}

const SharedEventPtr& SharedEvents::with_text(std::size_t e, const Renderer& renderer) {
    SharedEventPtr& event = place(e, &renderer);
    if (!event) event = make(e, &renderer);
    return event;
}

const SharedEventPtr& SharedEvents::without_text(std::size_t e) {
    SharedEventPtr& event = place(e, nullptr);
    if (!event) event = make(e, nullptr);
    return event;
}

}  // namespace sluice::broker
