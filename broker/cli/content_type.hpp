// The content type of a document that is read from a file. Pure function; any thread.
#pragma once

#include <string>
#include <string_view>

namespace sluice::cli {

// By the ending of the file's name (.ndjson, .jsonl, .csv, .fasta, .fa, .fastq, .fq, .json, .rss, .atom, .rdf); else
// text/plain for what the broker recognises by its first bytes, and application/xml for all others.
std::string content_type_of(std::string_view file, std::string_view document);

}  // namespace sluice::cli
