// The parsers of what is not XML, one for each syntax. Pure functions; any thread.
#pragma once

#include <memory>
#include <string>

#include "protocol/feed/model/parsed_document.hpp"

namespace sluice::feed {

// `text` is UTF-8 without control characters (to_utf8, check_utf8), and not null.
// `is_named_feed`: its media type says so.
ParsedDocumentResult parse_json_document(std::shared_ptr<const std::string> text, const DocumentOptions& options,
                                         bool is_named_feed);
ParsedDocumentResult parse_json_lines(std::shared_ptr<const std::string> text, const DocumentOptions& options);
ParsedDocumentResult parse_cloud_event(std::shared_ptr<const std::string> text, const DocumentOptions& options);
ParsedDocumentResult parse_cloud_events(std::shared_ptr<const std::string> text, const DocumentOptions& options);
ParsedDocumentResult parse_csv(std::shared_ptr<const std::string> text, const DocumentOptions& options,
                               bool has_header);
ParsedDocumentResult parse_fasta(std::shared_ptr<const std::string> text, const DocumentOptions& options);
ParsedDocumentResult parse_fastq(std::shared_ptr<const std::string> text, const DocumentOptions& options);

}  // namespace sluice::feed
