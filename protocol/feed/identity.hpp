// What makes a published item the same item when its feed is posted again. Pure function; any thread.
#pragma once

#include <string>

#include "protocol/feed/document.hpp"

namespace sluice {

// The item's guid, atom:id, rdf:about or JSON Feed id; if it has none, its link; "" if it has neither, and for the
// items of other XML, where no element is known to identify: then the content decides.
std::string item_identity(const Document& document, const Item& item);

}  // namespace sluice
