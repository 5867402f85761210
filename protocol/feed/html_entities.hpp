// The character entities of HTML 4 (https://www.w3.org/TR/html401/sgml/entities.html), which feeds use without
// declaring them. Any thread.
#pragma once

#include <string_view>

namespace sluice::feed {

// The named character in UTF-8: "\u00A0" for "nbsp". "" if HTML 4 has no such name, and for XML's own names (lt, gt,
// amp, quot, apos). The text is static.
std::string_view html_entity(std::string_view name);

}  // namespace sluice::feed
