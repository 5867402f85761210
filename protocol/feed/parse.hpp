// Parses a published document: its encoding is converted, its syntax found, and XML repaired if that is allowed. Pure
// function; any thread.
#pragma once

#include <boost/system/result.hpp>
#include <string>

#include "protocol/feed/model/document.hpp"

namespace sluice::feed {

// A document that is no feed, is not well-formed (and can't be repaired, or must not), or exceeds a limit, gives an
// error with its position. Where the events of a document that is not XML can be told apart, a bad one is refused alone
// (Document::refusals), unless all of them are; so are the items of a second feed in the document.
boost::system::result<DocumentPtr, FeedError> parse_document(std::string bytes, const DocumentOptions& options);

}  // namespace sluice::feed
