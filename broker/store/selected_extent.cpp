#include "broker/store/selected_extent.hpp"

#include <algorithm>
#include <limits>

namespace sluice::store {

std::string_view log_stream(const text::StreamSelection& streams) {
    return streams.single().empty() ? all_streams : std::string_view(streams.single());
}

bool has_selected_prefix(std::string_view stream, const text::StreamSelection& streams) {
    return std::any_of(streams.prefixes().begin(), streams.prefixes().end(),
                       [stream](const std::string& prefix) { return stream.starts_with(prefix); });
}

std::vector<StreamExtent> selected_extents(EventLog& log, const text::StreamSelection& streams) {
    if (streams.is_all() || !streams.single().empty()) return {log.extent(log_stream(streams))};
    return log.extents(streams);
}

StreamExtent united(std::span<const StreamExtent> extents) {
    StreamExtent all;
    all.first_id = std::numeric_limits<std::uint64_t>::max();
    for (const StreamExtent& each : extents) {
        if (each.first_id < all.first_id) {  // one without events has the log's last id + 1
            all.first_id = each.first_id;
            all.oldest = each.oldest;
        }
        all.last_id = std::max(all.last_id, each.last_id);
        all.events += each.events;
        all.bytes += each.bytes;
        all.dropped_id = std::max(all.dropped_id, each.dropped_id);
        all.dropped_time = std::max(all.dropped_time, each.dropped_time);
        all.drops = each.drops;
    }
    return all;
}

StreamExtent selected_extent(EventLog& log, const text::StreamSelection& streams) {
    return united(selected_extents(log, streams));
}

KnownDrops drops_of(std::span<const StreamExtent> extents) {
    KnownDrops known;
    for (const StreamExtent& each : extents) {
        known.drops = each.drops;
        known.ids.push_back(each.dropped_id);
        known.forgotten = std::max(known.forgotten, each.forgotten);
    }
    std::sort(known.ids.begin(), known.ids.end());
    return known;
}

// An event belongs to one stream, so an id that is known is not of another one, unless both are of forgotten streams.
bool has_dropped_more(std::span<const StreamExtent> extents, const KnownDrops& known, std::uint64_t from) {
    return std::any_of(extents.begin(), extents.end(), [&](const StreamExtent& each) {
        if (each.dropped_id == 0 || each.dropped_id < from) return false;
        const bool is_known = std::binary_search(known.ids.begin(), known.ids.end(), each.dropped_id);
        return !is_known || each.forgotten > known.forgotten;
    });
}

}  // namespace sluice::store
