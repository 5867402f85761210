// The namespaces of a document while it is scanned ("Namespaces in XML 1.0"): the declarations of each start tag, the
// namespaces of its names, and the edits that give known namespaces their customary prefixes. Belongs to one scanner.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

#include "protocol/feed/namespace_declarations.hpp"
#include "protocol/feed/namespaces.hpp"
#include "protocol/feed/rewriter.hpp"
#include "protocol/feed/xml_cursor.hpp"
#include "protocol/feed/xml_names.hpp"
#include "protocol/feed/xml_tag.hpp"

namespace sluice::feed {

class XmlNamespaces {
public:
    XmlNamespaces(XmlCursor& cursor, Rewriter& rewriter, const XmlDoctype& doctype)
        : cursor_(cursor), rewriter_(rewriter), doctype_(doctype) {}

    std::size_t bindings() const { return scopes_.size(); }  // in scope
    // Enters the scope of a start tag and sets `known` to the element's namespace, or to null if that is not a known
    // one. May reorder the attributes. Notes edits, to be applied with the tag. Returns false if it has noted a fault.
    bool enter(XmlTag& tag, const KnownNamespace*& known);
    // Leaves scopes, which end at this offset, until only this many bindings remain.
    void leave(std::size_t bindings, std::size_t end) {
        for (std::size_t open = scopes_.size(); open > bindings; --open) declarations_.close(end);
        scopes_.shrink(bindings);
    }

    // Notes the edit that gives the name at offset `begin` the customary prefix of its namespace.
    void rename(const QName& name, std::size_t begin, const KnownNamespace* known);

    NamespaceDeclarations take_declarations() { return std::move(declarations_); }

private:
    struct Namespace {
        std::string_view uri;
        const KnownNamespace* known = nullptr;
    };

    bool declare(const XmlAttribute& attribute, std::size_t element);
    std::string_view plain_value(const XmlAttribute& attribute);
    bool resolve(const QName& name, std::size_t offset, Namespace& found);
    bool resolve(XmlAttribute& attribute);

    XmlCursor& cursor_;
    Rewriter& rewriter_;
    const XmlDoctype& doctype_;
    NamespaceScopes scopes_;
    NamespaceDeclarations declarations_;
};

}  // namespace sluice::feed
