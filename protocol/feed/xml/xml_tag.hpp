// One start tag as written, before its names are resolved. Views point into the document's text.
#pragma once

#include <cstddef>

#include "protocol/feed/xml/xml_cursor.hpp"
#include "protocol/feed/xml/xml_names.hpp"
#include "protocol/feed/xml/xml_references.hpp"

namespace sluice::feed {

struct XmlTag {
    std::size_t begin = 0;  // offset of the '<'
    QName name;
    XmlAttributes attributes;
    bool is_empty = false;  // ends in "/>"
};

// Reads a start tag, from its '<' past its '>'. `tag` may hold the previous tag, to reuse its memory. Returns false if
// a fault is noted.
bool read_start_tag(XmlCursor& cursor, XmlReferences& references, XmlTag& tag);

}  // namespace sluice::feed
