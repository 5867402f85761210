// A document type declaration, read past: nothing is fetched, and of what it declares only internal entities with
// plain text are kept. Views point into the document's text.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "protocol/feed/xml_cursor.hpp"

namespace sluice {

// An entity that the document declares. Entities with markup, or with references to other entities, and those whose
// text is outside the document, are known but can't be used.
struct XmlEntity {
    std::string text;  // as it is written in content and in attribute values
    bool usable = false;
};

class XmlDoctype {
public:
    static constexpr std::size_t entities_max = 1000;
    static constexpr std::size_t entity_bytes_max = 1024;  // a longer one can't be used

    // At "<!DOCTYPE"; moves behind its '>'. False: a fault is noted.
    bool read(XmlCursor& cursor);
    const XmlEntity* find(std::string_view name) const;

private:
    bool internal_subset(XmlCursor& cursor);
    bool entity_declaration(XmlCursor& cursor);

    std::map<std::string_view, XmlEntity> entities_;
};

}  // namespace sluice
