// What the sources of a document's items depend on outside of themselves: declarations of namespaces and entities. Its
// views point into the document's text. Immutable once the document is made; any thread.
#pragma once

#include <cstddef>

#include "protocol/feed/model/namespace_declarations.hpp"
#include "protocol/feed/model/xml_entities.hpp"

namespace sluice::feed {

struct SourceContext {
    NamespaceDeclarations namespaces;
    XmlEntities entities;

    std::size_t memory_bytes() const { return namespaces.memory_bytes() + entities.memory_bytes(); }
};

}  // namespace sluice::feed
