// The namespaces of a document while it is scanned ("Namespaces in XML 1.0"): the declarations of each start tag, the
// namespaces of its names, and the edits that give the tree its prefixes. Belongs to one scanner.
//
// A known namespace gets its customary prefix, or none where it is the vocabulary of the feed around it. Another
// namespace that has such a prefix in the document gets one with "_" behind. The tree's declarations cannot always say
// which namespace a name is then in: they do not where two namespaces share a prefix, where a name has lost its prefix,
// and where the document does not declare it. Such names are listed.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "protocol/feed/model/document.hpp"
#include "protocol/feed/model/namespace_declarations.hpp"
#include "protocol/feed/model/tree.hpp"
#include "protocol/feed/xml/element_names.hpp"
#include "protocol/feed/xml/namespace_scopes.hpp"
#include "protocol/feed/xml/rewriter.hpp"
#include "protocol/feed/xml/xml_cursor.hpp"
#include "protocol/feed/xml/xml_names.hpp"
#include "protocol/feed/xml/xml_tag.hpp"

namespace sluice::feed {

// Of an element while it is open.
struct ElementScope {
    std::size_t outer_bindings = 0, outer_number = 0;
    bool begins_feed = false;
};

class XmlNamespaces {
public:
    // The names that are not in the document as they are in the tree are kept with the tree.
    XmlNamespaces(XmlCursor& cursor, Rewriter& rewriter, const XmlEntities& entities, Tree& tree)
        : cursor_(cursor), rewriter_(rewriter), entities_(entities), tree_(tree) {}

    // Enters the scope of a start tag, that of the document's element number `element`. May reorder the attributes.
    // Notes edits, to be applied with the tag. Returns the element's name, which is valid until the next call; null if
    // it has noted a fault.
    ElementName* enter(XmlTag& tag, std::size_t element, ElementScope& entered) {
        entered = {scopes_.size(), scope_, false};
        if (tag.attributes.empty()) {
            if (ElementName* const name = find_plain(tag.name.full)) return name;
        }
        return read_names(tag, element, entered);
    }
    // The name of an element without attributes, if it is written so in the tree, and was there before; else null. As
    // with enter(), but there is nothing to leave.
    ElementName* find_plain(std::string_view written) {
        ElementName* const name = names_.find(written, scope_);
        return name && name->is_plain() ? name : nullptr;
    }
    // Leaves the scope of the element, which ends at this offset.
    void leave(const ElementScope& element, std::size_t end) {
        if (has_entered(element)) leave_declarations(element, end);
    }
    // Whether names in the element may mean something else than around it.
    bool has_entered(const ElementScope& element) const { return scope_ != element.outer_number; }

    // Notes the edit that gives the name at offset `begin` this prefix.
    void rename(const QName& name, std::size_t begin, std::string_view tree_prefix) {
        const std::size_t size = name.full.size() - name.local.size();
        if (size != tree_prefix.size() || (size > 0 && name.full.substr(0, size) != tree_prefix))
            rewriter_.note(begin, begin + size, tree_prefix);
    }

    std::vector<UndeclaredName> take_undeclared() { return std::move(undeclared_); }

    NamespaceDeclarations take_declarations() { return std::move(declarations_); }

private:
    // Of a name. Without a binding, it is that of a customary prefix that is not declared, or none.
    struct Namespace {
        const NamespaceBinding* binding = nullptr;
        const KnownNamespace* known = nullptr;
        std::string_view uri() const { return binding ? binding->uri : known ? known->uri : std::string_view(); }
    };

    bool declare(const XmlAttribute& attribute, std::size_t tag_begin, std::size_t tag);
    ElementName* read_names(XmlTag& tag, std::size_t element, ElementScope& entered);
    void leave_declarations(const ElementScope& element, std::size_t end);
    void begin_scope() { scope_ = ++scopes_so_far_; }
    ElementName* resolve(XmlTag& tag, std::size_t element, ElementScope& entered);
    std::string_view plain_value(const XmlAttribute& attribute);
    void choose_prefixes(XmlTag& tag, std::size_t first);
    std::string_view declaration_beside(const NamespaceBinding& binding);
    bool resolve(const QName& name, std::size_t offset, Namespace& found);
    bool resolve(XmlAttribute& attribute, std::size_t element, std::size_t number);
    bool is_plain(const KnownNamespace* known) const { return known && known->vocabulary == plain_; }
    std::string_view tree_prefix(const QName& name, const Namespace& found, bool may_be_plain) const;
    std::string_view tree_name(const QName& name, std::string_view tree_prefix);
    std::string_view made_name(std::string_view prefix, std::string_view local);
    bool is_declared(const Namespace& found, std::string_view tree_prefix) const;
    void list(const KnownNamespace* known, std::string_view uri, std::size_t element, std::size_t attribute);

    XmlCursor& cursor_;
    Rewriter& rewriter_;
    const XmlEntities& entities_;
    NamespaceScopes scopes_;
    std::size_t scope_ = 0, scopes_so_far_ = 0;  // the number of the scope, and the last one given
    ElementNames names_;
    NamespaceDeclarations declarations_;
    std::optional<KnownNamespace::Vocabulary> plain_;  // of the feed around; empty: outside feeds
    std::set<std::string> made_declarations_;          // "xmlns:dc_:"
    Tree& tree_;
    std::unordered_set<std::string_view> made_names_;  // kept with the tree
    std::string room_;
    std::vector<UndeclaredName> undeclared_;
};

}  // namespace sluice::feed
