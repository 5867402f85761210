// Names with a prefix, and the attributes of one start tag. Views point into the document's text.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "protocol/feed/xml_cursor.hpp"

namespace sluice {

struct QName {
    std::string_view full, prefix, local;
};

struct XmlAttribute {
    QName name;
    std::size_t begin = 0;  // of the name
    std::string_view value;
    bool is_plain = true;  // the value has no references and no white space but blanks
    std::string_view uri;  // of the prefix, once resolved

    bool is_declaration() const { return name.full == "xmlns" || name.prefix == "xmlns"; }
};

// Reads a name; `what` is what was expected if there is none. False: a fault is noted.
bool read_qname(XmlCursor& cursor, QName& name, std::string_view what);

// An attribute that is there before, by its name as written or by namespace and local name; null if there is none.
// May change the order. Takes n log n steps at most: a tag may have as many attributes as fit into a document.
const XmlAttribute* find_repeated(std::vector<XmlAttribute>& attributes);

}  // namespace sluice
