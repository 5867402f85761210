// What a published document is written in. Decided once for each document: by its media type, and by its first bytes
// where the type leaves it open. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/feed/model/media_type.hpp"

namespace sluice::feed {

enum class Syntax : std::uint8_t {
    xml,
    json,          // a JSON Feed, an object or an array of objects
    json_lines,    // NDJSON: an object a line
    cloud_event,   // CloudEvents 1.0, structured
    cloud_events,  // the same, a batch
    csv,
    fasta,
    fastq,
};

// None: a type that is not accepted. Types that claim XML or JSON are one of the two, whichever the text begins as.
// Text without a type, or with a type that anything may have, is JSON, NDJSON or XML, and FASTA or FASTQ only as
// text/plain. `text` may be in any encoding that extends ASCII.
std::optional<Syntax> document_syntax(const MediaType& type, std::string_view text);

// CSV whose fields are separated by tabs.
inline constexpr std::string_view tab_separated_type = "text/tab-separated-values";

// The type by which document_syntax() recognises any text of this syntax.
std::string_view media_type_of(Syntax syntax);

// Whether the syntax is UTF-8 by definition, whatever charset its type names (RFC 8259 §8.1).
bool is_json(Syntax syntax);

// The accepted media types, for people and for Accept-Post (Linked Data Platform 1.0 §7.1).
std::string accepted_media_types();

}  // namespace sluice::feed
