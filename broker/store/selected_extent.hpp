// What a log retains of some of its streams, seen together. A caller who may see only these streams learns nothing of
// the others from it. Any thread.
#pragma once

#include <functional>

#include "broker/store/event_log.hpp"
#include "protocol/text/stream_selection.hpp"

namespace sluice::store {

// The name to pass to the log's functions: that of the only stream, or all_streams.
std::string_view log_stream(const text::StreamSelection& streams);

// Calls `visit` with each of several selected streams and its extent: those that are named, and those of the log that
// have a selected prefix.
void each_extent(EventLog& log, const text::StreamSelection& streams,
                 const std::function<void(const std::string& stream, const StreamExtent& extent)>& visit);

// The extent of the selected streams as if they were one. `drops` counts those of the whole log. Takes time linear in
// the streams of the log where prefixes are selected.
StreamExtent selected_extent(EventLog& log, const text::StreamSelection& streams);

}  // namespace sluice::store
