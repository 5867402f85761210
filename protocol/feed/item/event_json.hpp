// A delivered event as JSON:
// {"id":…,"stream":"…","time":"…","change":"new","traceparent":"…","tracestate":"…","dead_letter":{…},"item":{normalised
// fields},"data":{…},"values":{"path":["value",…],…}}. Written once per event for all receivers that want the same. Any
// thread.
#pragma once

#include <cstdint>
#include <string>

#include "protocol/feed/model/event.hpp"

namespace sluice::feed {

// Whether an event's JSON has "values".
enum class JsonValues : std::uint8_t {
    where_needed,  // of XML that is no feed: it has no "data", and may have no fields
    all,
};

// One line, no trailing newline.
//
// "time" is when the event was appended, RFC 3339 in UTC with microseconds, and "change" is "new" or "updated". Both
// are left out for an event that was not appended (Event::time).
//
// "traceparent" and "tracestate" are the event's trace context (event_trace.hpp), where it has one.
//
// "dead_letter" is what the event was, where it is in a dead-letter stream (DeadLetter):
// {"subscription":"…","stream":"…","id":…,"deliveries":…,"reason":"…"}.
//
// "item" has the fields that the item has (fields.hpp). Times are RFC 3339 in UTC, null for an unreadable date;
// "author" and "category" are arrays.
//
// "data" is what was published, where that is data: JSON with its types and nesting, a row, a record
// (write_event_data). XML has none.
//
// "values" has the paths of the item's element as filters write them, in order of first appearance, each with its
// values in document order. It does not depend on the filters:
// * "path/@name": every attribute except namespace declarations;
// * "path": every element that holds text itself, or is empty (no child elements, no attributes), with its
//   string-value. Elements among text are markup (xhtml): their text is part of that value and not repeated. Only their
//   attributes (the links) are listed.
// * ".": the item itself, if it is such an element.
// Paths above path_bytes_max bytes are left out, and so are new ones when the names of the others take four times the
// item's bytes and 4 KiB, so that the JSON is at most a small multiple of the item. "values_omitted" is then the number
// of values left out.
inline constexpr std::size_t path_bytes_max = 1024;

std::string event_json(const Event& event, JsonValues values = JsonValues::where_needed);

}  // namespace sluice::feed
