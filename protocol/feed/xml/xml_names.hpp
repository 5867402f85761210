// Names with prefixes, and the attributes of one start tag. Views point into the document's text.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <string_view>

#include "protocol/feed/xml/xml_cursor.hpp"

namespace sluice::feed {

struct QName {
    std::string_view full, prefix, local;
};

struct XmlAttribute {
    QName name;
    std::size_t begin = 0;  // of the name
    std::string_view value;
    bool is_plain = true;        // the value has no references, and no white space other than spaces
    std::string_view uri;        // of the prefix, once resolved
    std::string_view tree_name;  // the tree's, likewise
    std::string_view said;       // what the value says, likewise

    bool is_declaration() const { return name.full == "xmlns" || name.prefix == "xmlns"; }
};

using XmlAttributes = boost::container::small_vector<XmlAttribute, 4>;

// Reads a name; `what` names what was expected if there is none. False: a fault is recorded.
bool read_qname(XmlCursor& cursor, QName& name, std::string_view what);

// An attribute that repeats an earlier one, by its full name or by namespace and local name; null if there is none. May
// reorder the attributes. Takes at most n log n steps: a tag may have as many attributes as fit into a document.
const XmlAttribute* find_repeated(XmlAttributes& attributes);

}  // namespace sluice::feed
