#include "protocol/feed/xml_namespaces.hpp"

#include "protocol/feed/attribute_text.hpp"
#include "protocol/feed/repairs.hpp"

namespace sluice::feed {

bool XmlNamespaces::enter(XmlTag& tag, const KnownNamespace*& known) {
    for (const XmlAttribute& attribute : tag.attributes) {
        if (attribute.is_declaration() && !declare(attribute, tag.begin)) return false;
    }
    const std::size_t name_begin = tag.begin + 1;
    Namespace found;
    if (!resolve(tag.name, name_begin, found)) return false;
    known = found.known;
    rename(tag.name, name_begin, known);
    for (XmlAttribute& attribute : tag.attributes) {
        if (!resolve(attribute)) return false;
    }
    const XmlAttribute* twice = find_repeated(tag.attributes);
    return !twice || cursor_.fail(twice->begin, "the attribute " + excerpt(twice->name.full) + " is there twice");
}

bool XmlNamespaces::declare(const XmlAttribute& attribute, std::size_t element) {
    const std::string_view prefix = attribute.name.prefix.empty() ? std::string_view() : attribute.name.local;
    const std::string_view uri = plain_value(attribute);
    if (prefix == "xmlns" || uri == xmlns_namespace || (prefix == "xml") != (uri == xml_namespace)) {
        return cursor_.fail(attribute.begin, "a declaration that the prefixes xml and xmlns do not allow");
    }
    if (!prefix.empty() && uri.empty()) return cursor_.fail(attribute.begin, "a prefix declared as no namespace");
    if (scopes_.size() == NamespaceScopes::bindings_max) {
        return cursor_.fail(attribute.begin,
                            "more than " + std::to_string(NamespaceScopes::bindings_max) + " namespaces at one place",
                            FeedError::Kind::limit);
    }
    declarations_.open(prefix, uri, element);
    const KnownNamespace* known = scopes_.declare(prefix, uri);
    if (known && !known->attribute().empty() && known->attribute() != attribute.name.full) {
        rewriter_.note(attribute.begin, attribute.begin + attribute.name.full.size(), known->attribute());
    }
    return true;
}

// The value as a reader of the document sees it. Values that are not plain are rare.
std::string_view XmlNamespaces::plain_value(const XmlAttribute& attribute) {
    if (attribute.is_plain) return attribute.value;
    return declarations_.keep(attribute_text(attribute.value, doctype_));
}

bool XmlNamespaces::resolve(const QName& name, std::size_t offset, Namespace& found) {
    if (const NamespaceBinding* binding = scopes_.find(name.prefix)) {
        found = {binding->uri, binding->known};
        return true;
    }
    if (name.prefix.empty()) return true;
    const KnownNamespace* known = find_customary_prefix(name.prefix);
    if (!known) return cursor_.fail(offset, "the prefix " + excerpt(name.prefix) + " is not declared");
    found = {known->uri, known};
    return true;
}

bool XmlNamespaces::resolve(XmlAttribute& attribute) {
    if (attribute.name.prefix.empty() || attribute.is_declaration()) return true;
    Namespace found;
    if (!resolve(attribute.name, attribute.begin, found)) return false;
    attribute.uri = found.uri;
    // Without a prefix, an attribute would have no namespace, so it keeps its prefix if its vocabulary has none.
    if (found.known && !found.known->declaration.empty()) rename(attribute.name, attribute.begin, found.known);
    return true;
}

void XmlNamespaces::rename(const QName& name, std::size_t begin, const KnownNamespace* known) {
    if (!known) return;
    const std::size_t prefix_size = name.full.size() - name.local.size();
    if (name.full.substr(0, prefix_size) != known->prefix()) {
        rewriter_.note(begin, begin + prefix_size, known->prefix());
    }
}

}  // namespace sluice::feed
