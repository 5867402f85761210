#include "broker/store/selected_extent.hpp"

#include <algorithm>

namespace sluice::store {

std::string_view log_stream(const text::StreamSelection& streams) {
    return streams.single().empty() ? all_streams : std::string_view(streams.single());
}

void each_extent(EventLog& log, const text::StreamSelection& streams,
                 const std::function<void(const std::string& stream, const StreamExtent& extent)>& visit) {
    for (const std::string& name : streams.names()) visit(name, log.extent(name));
    if (streams.prefixes().empty()) return;
    for (const std::string& name : log.stream_names()) {
        const bool is_named = std::binary_search(streams.names().begin(), streams.names().end(), name);
        if (!is_named && streams.matches(name)) visit(name, log.extent(name));
    }
}

StreamExtent selected_extent(EventLog& log, const text::StreamSelection& streams) {
    if (streams.is_all() || !streams.single().empty()) return log.extent(log_stream(streams));
    StreamExtent all;
    all.first_id = log.last_id() + 1;
    all.drops = log.extent(all_streams).drops;
    each_extent(log, streams, [&all](const std::string&, const StreamExtent& each) {
        if (each.events != 0 && (all.events == 0 || each.first_id < all.first_id)) {
            all.first_id = each.first_id;
            all.oldest = each.oldest;
        }
        all.last_id = std::max(all.last_id, each.last_id);
        all.events += each.events;
        all.bytes += each.bytes;
        all.dropped_id = std::max(all.dropped_id, each.dropped_id);
        all.dropped_time = std::max(all.dropped_time, each.dropped_time);
    });
    return all;
}

}  // namespace sluice::store
