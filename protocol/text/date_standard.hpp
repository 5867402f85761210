// The fast date reader, for the two standard styles of nearly all dates. It refuses any text of which it isn't sure,
// and leaves it to the lenient reader (date_loose.hpp). Pure function; any thread; allocates nothing.
#pragma once

#include <optional>
#include <string_view>

namespace sluice::text {

// Reads trimmed text in parse_date()'s styles of RFC 822 and RFC 3339.
std::optional<double> parse_standard_date(std::string_view text);

}  // namespace sluice::text
