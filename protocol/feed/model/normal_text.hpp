// Texts as the digest of an item sees them: in addresses, http is https, and ignored parameters are left out. Pure
// functions; any thread.
#pragma once

#include <string>
#include <string_view>

#include "protocol/feed/model/ignored_parts.hpp"

namespace sluice::feed {

// Whether the text may have an address that append_normal_text() changes. Fast, and nearly always false.
bool may_have_address(std::string_view text);

// Appends the text of an element, an attribute or a string. Changes the text if it is an address as a whole, or else
// the values of href and src in the tags of HTML. `out` is not where the text is. Linear in time.
void append_normal_text(std::string& out, std::string_view text, const IgnoredParts& ignored);

// Appends an address, which may be relative.
void append_normal_address(std::string& out, std::string_view address, const IgnoredParts& ignored);

}  // namespace sluice::feed
