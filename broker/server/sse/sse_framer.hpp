// Writes deliveries as server-sent events. `id:` is the event's id. Gaps and ends are `event: gap` and `event: error`,
// both with a problem (RFC 9457) as data. Any thread.
#pragma once

#include "broker/core/delivery/framer.hpp"
#include "protocol/feed/item/event_json.hpp"

namespace sluice::server {

// `data:` is the event's JSON, on one line, followed by members for the subscriber: "filters":[0,3], the indices of the
// filters that hold, "alignments":[…] if requested, and "estimated":[…], the conditions decided by an estimate.
const broker::Framer& sse_json_framer(feed::JsonValues values = feed::JsonValues::where_needed);

// `data:` is the item's XML, one field per line.
const broker::Framer& sse_xml_framer();

// `data:` is the item as published, one field per line, so with LF as its line ends.
const broker::Framer& sse_source_framer();

}  // namespace sluice::server
