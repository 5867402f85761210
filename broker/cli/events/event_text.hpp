// A delivered event as people read it. Pure function; any thread.
#pragma once

#include <string>

namespace sluice::cli {

// The item's title, else its link, id or values, on one line; below it a line for each of its alignments, such as
// "  align(s, 'ACGT') >= 4: score 4, query 1-4, text 7-10, 4=", and for each condition that was decided by an estimate,
// "  determinism(s, 0.5) > 0.9: estimated". `data` is the event's JSON; anything else is shown as it is. Safe for
// terminals.
std::string event_text(const std::string& data);

}  // namespace sluice::cli
