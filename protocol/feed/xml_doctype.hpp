// Reads past a document type declaration: nothing is fetched, and of its declarations only internal entities with plain
// text are kept. Views point into the document's text.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "protocol/feed/xml_cursor.hpp"

namespace sluice::feed {

// A declared entity. Entities with markup, with references to other entities, or with external text are known but can't
// be used.
struct XmlEntity {
    std::string text;  // as it is written in content and in attribute values
    bool usable = false;
};

class XmlDoctype {
public:
    static constexpr std::size_t entities_max = 1000;
    static constexpr std::size_t entity_bytes_max = 1024;  // a longer one can't be used

    // At "<!DOCTYPE"; moves behind its '>'. False: a fault is recorded.
    bool read(XmlCursor& cursor);
    const XmlEntity* find(std::string_view name) const;

private:
    bool internal_subset(XmlCursor& cursor);
    bool entity_declaration(XmlCursor& cursor);

    std::map<std::string_view, XmlEntity> entities_;
};

}  // namespace sluice::feed
