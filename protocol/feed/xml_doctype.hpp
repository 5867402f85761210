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
    std::string_view literal;  // its value in the declaration
    bool usable = false;

    // The text that takes a reference's place in content and in attribute values. It may be six times as long.
    std::string text() const;
};

class XmlDoctype {
public:
    static constexpr std::size_t entities_max = 1000;
    static constexpr std::size_t entity_bytes_max = 1024;  // a longer one can't be used

    // At "<!DOCTYPE"; moves behind its '>'. False: a fault is recorded.
    bool read(XmlCursor& cursor);
    const XmlEntity* find(std::string_view name) const;
    std::size_t memory_bytes() const { return entities_.size() * entity_node_bytes; }

private:
    static constexpr std::size_t entity_node_bytes = 96;  // with the headers of the map and of malloc

    bool internal_subset(XmlCursor& cursor);
    bool entity_declaration(XmlCursor& cursor);

    std::map<std::string_view, XmlEntity> entities_;
};

}  // namespace sluice::feed
