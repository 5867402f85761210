// What a log retains of some of its streams, seen together. A caller who may see only these streams learns nothing of
// the others from it, except that some may have been deleted. Any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "broker/store/event_log.hpp"
#include "protocol/text/stream_selection.hpp"

namespace sluice::store {

// The name to pass to the log's functions: that of the only stream, or all_streams.
std::string_view log_stream(const text::StreamSelection& streams);

// Whether it is among the selected streams, and not because it is named.
bool has_selected_prefix(std::string_view stream, const text::StreamSelection& streams);

// At one moment: that of all streams or of the only one, or as EventLog::extents(). At least one.
std::vector<StreamExtent> selected_extents(EventLog& log, const text::StreamSelection& streams);
// The extent of these streams as if they were one. `drops` counts those of the whole log.
StreamExtent united(std::span<const StreamExtent> extents);
StreamExtent selected_extent(EventLog& log, const text::StreamSelection& streams);

// Which drops somebody knows of.
struct KnownDrops {
    std::uint64_t drops = 0;           // StreamExtent::drops
    std::vector<std::uint64_t> ids{};  // of several streams: StreamExtent::dropped_id of each, ascending
    std::uint64_t forgotten = 0;       // and the most of StreamExtent::forgotten
};
KnownDrops drops_of(std::span<const StreamExtent> extents);
// Whether any event with an id of at least `from` may have been dropped from these streams since. Other streams' drops
// don't matter, unless the log forgets these: it does not know then which ones they were. A new stream that may be one
// of those that are known to be forgotten does not matter either.
bool has_dropped_more(std::span<const StreamExtent> extents, const KnownDrops& known, std::uint64_t from);

}  // namespace sluice::store
