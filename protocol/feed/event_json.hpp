// A delivered event as JSON: {"id":…,"stream":"…","item":{normalised fields},"values":{"path":["value",…],…}}.
#pragma once

#include <string>

#include "protocol/feed/event.hpp"

namespace sluice {

// One line, no trailing newline. "item" has the fields that the item has (times as RFC 3339 UTC, "category" as an
// array); "values" has every path of the item's element with its values in document order, whatever filters use.
std::string event_json(const Event& event);

}  // namespace sluice
