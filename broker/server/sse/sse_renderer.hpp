// Renders deliveries as server-sent events. `id:` is the event's id. Gaps and ends are `event: gap` and `event: error`,
// both with a problem (RFC 9457) as data. Any thread.
#pragma once

#include "broker/core/delivery/renderer.hpp"
#include "protocol/feed/item/event_json.hpp"

namespace sluice::server {

// `data:` is feed::event_json, on one line, followed by members for the subscriber: "filters":[0,3], the indices of the
// filters that hold, "alignments":[…] if requested, and "estimated":[…], the conditions decided by an estimate.
const broker::Renderer& sse_json_renderer(feed::JsonValues values = feed::JsonValues::where_needed);

// `data:` is feed::item_xml, one field per line.
const broker::Renderer& sse_xml_renderer();

// `data:` is feed::Item::source, one field per line: the item as published, with LF as its line ends.
const broker::Renderer& sse_source_renderer();

}  // namespace sluice::server
