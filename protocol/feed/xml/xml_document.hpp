// Parses well-formed XML. Pure function; any thread.
#pragma once

#include <memory>
#include <string>

#include "protocol/feed/model/parsed_document.hpp"

namespace sluice::feed {

// `text` is UTF-8 without control characters (to_utf8, check_utf8), and not null.
ParsedDocumentResult parse_xml_document(std::shared_ptr<const std::string> text, const DocumentOptions& options);

}  // namespace sluice::feed
