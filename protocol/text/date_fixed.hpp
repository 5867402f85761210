// The layouts of most dates in feeds, whose parts stand at fixed places: "Mon, 16 Oct 2017 15:10:00 GMT" and
// "2017-10-16T15:10:00Z", or with an offset ("+0200", "+02:00"). Pure function; any thread; allocates nothing.
#pragma once

#include <optional>
#include <string_view>

namespace sluice::text {

// As parse_standard_date(), which reads all of these. nullopt: another layout, or no date.
std::optional<double> parse_fixed_date(std::string_view text);

}  // namespace sluice::text
