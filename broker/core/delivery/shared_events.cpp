#include "broker/core/delivery/shared_events.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace sluice::broker {

SharedEventPtr& SharedEvents::place(std::size_t e, const EventFormat* format) {
    const auto found = std::find_if(rendered_.begin(), rendered_.end(),
                                    [format](const Rendered& rendered) { return rendered.format == format; });
    if (found != rendered_.end()) return found->events[e];
    rendered_.push_back({format, std::vector<SharedEventPtr>(events_.size())});
    return rendered_.back().events[e];
}

SharedEventPtr SharedEvents::make(std::size_t e, const EventFormat* format) const {
    const feed::Event& event = events_[e];
    SharedEvent shared{event.stream, event.id, format == nullptr ? std::string() : format->body(event), event.time};
    return memory_ == nullptr ? std::make_shared<const SharedEvent>(std::move(shared))
                              : memory_->charged(std::move(shared));
}

const SharedEventPtr& SharedEvents::with_body(std::size_t e, const EventFormat& format) {
    SharedEventPtr& event = place(e, &format);
    if (!event) event = make(e, &format);
    return event;
}

const SharedEventPtr& SharedEvents::without_body(std::size_t e) {
    SharedEventPtr& event = place(e, nullptr);
    if (!event) event = make(e, nullptr);
    return event;
}

}  // namespace sluice::broker
