// Parses a text by the parser that suits it. Pure functions; any thread.
#pragma once

#include <boost/system/result.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "protocol/feed/model/document_syntax.hpp"
#include "protocol/feed/model/media_type.hpp"
#include "protocol/feed/model/parsed_document.hpp"
#include "protocol/feed/model/repairs.hpp"

namespace sluice::feed {

// As document_syntax(). A content type that is no document's gives an error.
boost::system::result<Syntax, FeedError> find_syntax(const MediaType& content_type, std::string_view text);

// Calls the parser of this syntax, then fills in the fields that come last. `repairs` are those that the text already
// has.
ParsedDocumentResult parse_text(std::shared_ptr<const std::string> text, Syntax syntax, const DocumentOptions& options,
                                Repairs repairs = {});

}  // namespace sluice::feed
