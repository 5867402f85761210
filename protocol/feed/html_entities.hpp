// The character entities of HTML 4 (https://www.w3.org/TR/html401/sgml/entities.html), which feeds use without
// declaring them. Any thread.
#pragma once

#include <string_view>

namespace sluice {

// The character of that name in UTF-8, "\u00A0" for "nbsp"; "" if HTML 4 has no such name, and for the names that are
// XML's own (lt, gt, amp, quot, apos). The text is static.
std::string_view html_entity(std::string_view name);

}  // namespace sluice
