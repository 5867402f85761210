// The lenient date reader, for dates that follow no standard. Pure function; any thread.
#pragma once

#include <optional>
#include <string_view>

namespace sluice::text {

// Reads trimmed text in any style of parse_date() that parse_standard_date() refuses. Collects what the text states
// about day, time and zone, each at most once and mostly in any order, and then finds the one moment that fits. Linear.
std::optional<double> parse_loose_date(std::string_view text);

}  // namespace sluice::text
