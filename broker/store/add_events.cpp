#include "broker/store/add_events.hpp"

#include <algorithm>

namespace sluice::store {

std::optional<std::uint64_t> add_events(Slice& slice, const std::shared_ptr<const Kept>& of,
                                        std::span<const feed::EventHead> events, std::size_t& events_max) {
    while (!events.empty()) {
        const auto is_erased = [](const feed::EventHead& event) { return event.is_erased; };
        if (is_erased(events.front())) {
            if (slice.erased_id == 0) slice.erased_id = events.front().id;
            events = events.subspan(1);
            continue;
        }
        if (events_max == 0) return events.front().id;
        const auto end = std::find_if(events.begin(), events.end(), is_erased);
        const auto n = std::min(events_max, static_cast<std::size_t>(end - events.begin()));
        slice.kept.push_back({of, events.first(n)});
        events_max -= n;
        events = events.subspan(n);
    }
    return std::nullopt;
}

}  // namespace sluice::store
