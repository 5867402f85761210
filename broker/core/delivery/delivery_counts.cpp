#include "broker/core/delivery/delivery_counts.hpp"

#include <algorithm>
#include <string>

namespace sluice::broker {

namespace {

bool is_event(const Delivery& delivery) { return delivery.kind == Delivery::Kind::event; }

}  // namespace

DeliveryCounts::DeliveryCounts(Counters& counters, const Subscriber& subscriber, std::span<const Delivery> deliveries)
    : counters_(counters),
      events_(static_cast<std::size_t>(std::count_if(deliveries.begin(), deliveries.end(), is_event))) {
    if (subscriber.counts)
        of_streams_.emplace_back(subscriber.counts, events_);
    else if (subscriber.stream.empty())
        of_all_streams(deliveries);
}

// Events of one stream mostly follow each other.
void DeliveryCounts::of_all_streams(std::span<const Delivery> deliveries) {
    const std::string* last = nullptr;
    for (const Delivery& delivery : deliveries) {
        if (!is_event(delivery)) continue;
        const std::string& stream = *delivery.event->stream;
        if (last == nullptr || (last != &stream && *last != stream))
            of_streams_.emplace_back(counters_.streams.of(stream), 0);
        last = &stream;
        ++of_streams_.back().second;
    }
}

void DeliveryCounts::add() const {
    count(counters_.deliveries, events_);
    for (const auto& [counts, events] : of_streams_) counts->deliveries.add(events);
}

}  // namespace sluice::broker
