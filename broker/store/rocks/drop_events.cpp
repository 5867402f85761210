#include "broker/store/rocks/drop_events.hpp"

#include <algorithm>

namespace sluice::store {

bool is_within(const StoredExtent& extent, const Bounds& bounds) {
    return extent.events == 0 || (extent.events <= bounds.events && extent.bytes <= bounds.bytes &&
                                  extent.oldest >= bounds.oldest && extent.first_id >= bounds.first_id);
}

// What is kept of one append goes as a whole, except where only the number of events is exceeded, or their first id.
DropResult drop_events(const Database& database, std::uint32_t stream, const StoredExtent& before,
                       const Bounds& bounds) {
    DropResult result{before, std::nullopt};
    StoredExtent& extent = result.extent;
    if (bounds.first_id > before.last_id) {
        extent.dropped.add({before.last_id, before.last_time});
        extent.events = extent.bytes = extent.first_id = extent.first_key = 0;
        extent.oldest = 0;
        return result;
    }
    Cursor index = database.cursor(Family::index, index_key(stream, before.last_id + 1));
    index.seek_before(index_key(stream, before.first_id));
    result.fault = index.fault();
    if (result.fault) return result;
    if (index.is_at_end() || stream_of_key(index.key()) != stream) index.seek(index_key(stream, before.first_id));
    for (; !index.is_at_end(); index.next()) {
        const auto entry = decode_index_entry(index.value());
        if (!entry) {
            result.fault = Fault{Fault::Kind::damaged, "an entry of the index is damaged"};
            return result;
        }
        const std::uint64_t id = id_of_index_key(index.key()), end = id + entry->events;
        if (end <= extent.first_id) continue;
        extent.first_id = std::max(extent.first_id, id);
        extent.first_key = id;
        extent.oldest = entry->time;
        if (is_within(extent, bounds)) return result;
        const std::uint64_t here = end - extent.first_id;
        const bool as_a_whole = extent.bytes > bounds.bytes || extent.oldest < bounds.oldest;
        const std::uint64_t excess = extent.events - std::min(extent.events, bounds.events),
                            before_first = std::max(extent.first_id, bounds.first_id) - extent.first_id,
                            dropped = as_a_whole ? here : std::min(here, std::max(excess, before_first));
        extent.first_id += dropped;
        extent.events -= std::min(extent.events, dropped);
        if (dropped == here) extent.bytes -= std::min<std::uint64_t>(extent.bytes, entry->bytes);
        extent.dropped.add({extent.first_id - 1, entry->time});
        if (dropped != here) return result;
    }
    result.fault = index.fault();
    if (result.fault) return result;
    extent.events = extent.bytes = extent.first_id = extent.first_key = 0;  // nothing is left
    extent.oldest = 0;
    return result;
}

}  // namespace sluice::store
