// The published data of an event, as JSON. Pure functions; any thread.
#pragma once

#include <string_view>

#include "protocol/feed/data/json_text.hpp"
#include "protocol/feed/model/document_syntax.hpp"
#include "protocol/feed/model/event.hpp"

namespace sluice::feed {

// Whether a document's items are data. Those of XML are not.
inline bool has_event_data(const Document& document) { return document.syntax() != Syntax::xml; }

// Writes the item's data as one line of JSON, an object.
// * JSON: the published object without insignificant white space, as write_compact_json() has it.
// * CSV: a member for each column, by its published name, with the field as a string. Columns that share a name are one
//   member: an array of their fields.
// * FASTA and FASTQ: "id", "description", "sequence" and "quality", those that the record has.
void write_event_data(JsonWriter& json, const Event& event);

// Writes well-formed JSON without the white space between its parts. All else stays as it is: numbers keep their
// digits, members their order, and those with the same key stay. Only an escape of a lone surrogate becomes "\ufffd",
// since strict parsers refuse it. Takes time linear in the text; the result is never longer.
void write_compact_json(JsonWriter& json, std::string_view text);

}  // namespace sluice::feed
