// Converts a parsed document to a record and back. A document parsed from a record has the same items, values and
// fields as the published document, so that filters mean on replay what they meant live. Pure functions; any thread.
#pragma once

#include <boost/system/result.hpp>

#include "protocol/feed/model/document.hpp"
#include "protocol/feed/model/record.hpp"

namespace sluice::feed {

// A record of the whole document; it shares the document's text. `options` are those that the document was parsed with.
// Only the media type of their content type is kept. XML gets charset=utf-8, so that a reader that treats the record's
// text as a published document ignores the encoding in its XML declaration. The caller fills in the owner and the
// attributes.
DocumentRecord record_document(const Document& document, const DocumentOptions& options);

// Parses the record's text, which is UTF-8 whatever its XML declaration says, and shares it. A one-item document
// (RecordContext::item) has only that item, and its feed_fields() are the record's. A malformed trace context is left
// out. Errors are those of parse_document().
//
// The limits are the record's, so that the document has the items that it had when it was published. Only what bounds
// the reader's memory holds from `today`, too: the text's size and the number of values. Both refuse documents as a
// whole, so no item differs. A document beyond them is an error of the kind limit; so is a record that claims a limit
// of depth which no configuration allows, because threads have no stack for it. A record made by record_document() is
// never refused for anything else.
boost::system::result<DocumentPtr, FeedError> parse_record(const DocumentRecord& record, const FeedLimits& today);

}  // namespace sluice::feed
