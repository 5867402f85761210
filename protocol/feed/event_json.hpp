// A delivered event as JSON: {"id":…,"stream":"…","item":{normalised fields},"values":{"path":["value",…],…}}.
// Written once for an event, whoever receives it. Any thread.
#pragma once

#include <string>

#include "protocol/feed/event.hpp"

namespace sluice {

// One line, no trailing newline. "item" has the fields that the item has (times as RFC 3339 UTC, null for a date that
// can't be read; "category" as an array).
//
// "values" has the paths of the item's element as filters write them, in order of first appearance, each with its
// values in document order, whatever filters use:
// * "path/@name": every attribute but namespace declarations;
// * "path": every element that holds text of its own, or nothing at all (no child elements, no attributes), with its
//   string-value. Elements among text are markup (xhtml): their text is part of that value and not repeated, only
//   their attributes (the links) are listed.
// * ".": the item itself, where it is such an element.
// Paths above path_bytes_max bytes are left out, so that the JSON is at most a small multiple of the item.
inline constexpr std::size_t path_bytes_max = 1024;

std::string event_json(const Event& event);

}  // namespace sluice
