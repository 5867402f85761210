// Reads documents that are not well-formed: repairs them, and takes what is complete. Pure functions; any thread.
#pragma once

#include <memory>
#include <string>

#include "protocol/feed/model/parsed_document.hpp"
#include "protocol/feed/model/repairs.hpp"

namespace sluice::feed {

// parse_xml_document(), and if that finds the text not well-formed and the options allow it, again with the repaired
// text, which then is the document's. Adds what was repaired to `repairs`. The error of a document beyond repair is
// that of the unrepaired text; nor is a document whose end is missing taken if it has no complete item.
ParsedDocumentResult parse_xml_or_repair(const std::shared_ptr<const std::string>& text, const DocumentOptions& options,
                                         Repairs& repairs);

}  // namespace sluice::feed
