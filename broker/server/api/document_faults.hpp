// What was wrong with a document that was accepted, as replies show it. Pure function; any thread.
#pragma once

#include <boost/json/object.hpp>

#include "protocol/feed/model/document.hpp"

namespace sluice::server {

// Adds, if single items were refused, "refused": 2, "refusals": [{"index": 1, "line": 2, "column": 6, "offset": 13,
// "reason": "…"}], and if the document was repaired, "repaired": 3, "repairs": [{"kind": "ampersand", "reason": "…",
// "count": 2, "line": 3, "column": 9, "offset": 40}], the first place of each kind.
void add_document_faults(boost::json::object& reply, const feed::Document& document);

}  // namespace sluice::server
