// Converts a parsed document to a record and back. A document parsed from a record has the same items, values and
// fields as the published document, so that filters mean on replay what they meant live. Pure functions; any thread.
#pragma once

#include <boost/system/result.hpp>

#include "protocol/feed/model/document.hpp"
#include "protocol/feed/model/record.hpp"

namespace sluice::feed {

// A record of the whole document; it shares the document's text. `options` are those that the document was parsed with.
// Only the media type of their content type is kept. XML gets charset=utf-8, so that a reader that treats the record's
// text as a published document ignores the encoding in its XML declaration. The caller fills in the owner, the trace
// and the attributes.
DocumentRecord record_document(const Document& document, const DocumentOptions& options);

// Parses the record's text, which is UTF-8 whatever its XML declaration says, and shares it. A one-item document
// (RecordContext::item) has only that item, with index 0, and its feed_fields() are the record's. Errors are those of
// parse_document(). A record made by record_document() never gives one, unless `limits` are now smaller. Items that
// were refused alone for a limit (Document::refusals) count again if that limit is now larger, and shift those behind
// them.
boost::system::result<DocumentPtr, FeedError> parse_record(const DocumentRecord& record, const FeedLimits& limits);

}  // namespace sluice::feed
