// Reads past a document type declaration: nothing is fetched, and of its declarations only internal entities with plain
// text are kept. Views point into the document's text. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <string>

#include "protocol/feed/model/xml_entities.hpp"
#include "protocol/feed/xml/xml_cursor.hpp"

namespace sluice::feed {

inline constexpr std::size_t doctype_entities_max = 1000;
inline constexpr std::size_t doctype_entity_bytes_max = 1024;  // a longer one can't be used

// At "<!DOCTYPE"; moves behind its '>', and adds the entities that it declares. False: a fault is recorded.
bool read_doctype(XmlCursor& cursor, XmlEntities& entities);

// The text that takes a reference's place in content and in attribute values. It may be six times as long as the
// literal. Empty if the entity can't be used.
std::string entity_text(const XmlEntity& entity);

}  // namespace sluice::feed
