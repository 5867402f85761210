#include "protocol/feed/xml/xml_namespaces.hpp"

#include "protocol/feed/model/make_room.hpp"
#include "protocol/feed/model/repairs.hpp"
#include "protocol/feed/xml/attribute_text.hpp"
#include "protocol/feed/xml/plain_vocabulary.hpp"

namespace sluice::feed {

ElementName* XmlNamespaces::read_names(XmlTag& tag, std::size_t element, ElementScope& entered) {
    const std::size_t first = scopes_.size();
    for (const XmlAttribute& attribute : tag.attributes) {
        if (attribute.is_declaration() && !declare(attribute, tag.begin, first)) return nullptr;
    }
    if (scopes_.size() > first) begin_scope();
    ElementName* name = names_.find(tag.name.full, scope_);
    if (!name) name = resolve(tag, element, entered);
    if (!name) return nullptr;
    if (!name->is_as_written) rename(tag.name, tag.begin + 1, name->tree_prefix);
    if (!name->is_declared) list(name->known, name->uri, element, 0);
    for (std::size_t i = 0; i < tag.attributes.size(); ++i) {
        if (!resolve(tag.attributes[i], element, i + 1)) return nullptr;
    }
    if (const XmlAttribute* const twice = find_repeated(tag.attributes)) {
        cursor_.fail(twice->begin, "the attribute " + excerpt(twice->name.full) + " is there twice");
        return nullptr;
    }
    return name;
}

// Resolves the element's name, once the tag's declarations are known, and chooses the tree's prefixes for these.
ElementName* XmlNamespaces::resolve(XmlTag& tag, std::size_t element, ElementScope& entered) {
    Namespace found;
    if (!resolve(tag.name, tag.begin + 1, found)) return nullptr;
    if (!plain_) {
        const NamespaceBinding* const unprefixed = scopes_.find({});
        plain_ = plain_vocabulary(tag.name, element == 0, found.known, unprefixed ? unprefixed->known : nullptr);
        entered.begins_feed = plain_.has_value();
        if (plain_) begin_scope();
    }
    if (scopes_.size() > entered.outer_bindings) choose_prefixes(tag, entered.outer_bindings);
    ElementName name;
    name.written = tag.name;
    name.known = found.known;
    name.uri = found.uri();
    name.tree_name = tag.name.full;
    if (found.binding || found.known) {
        name.tree_prefix = tree_prefix(tag.name, found, true);
        name.tree_name = tree_name(tag.name, name.tree_prefix);
        name.is_as_written = name.tree_name == tag.name.full;
        name.is_declared = is_declared(found, name.tree_prefix);
    }
    ElementName& added = names_.add(name, scope_);
    if (element == 0) begin_scope();  // the root may be a feed where an element with its name in it is none
    return &added;
}

void XmlNamespaces::leave_declarations(const ElementScope& element, std::size_t end) {
    for (std::size_t open = scopes_.size(); open > element.outer_bindings; --open) declarations_.close(end);
    scopes_.shrink(element.outer_bindings);
    if (element.begins_feed) plain_.reset();
    scope_ = element.outer_number;
}

bool XmlNamespaces::declare(const XmlAttribute& attribute, std::size_t tag_begin, std::size_t tag) {
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
    declarations_.open(prefix, uri, tag_begin);
    scopes_.declare(prefix, uri, tag);
    return true;
}

// The value as a reader of the document sees it. Values that are not plain are rare.
std::string_view XmlNamespaces::plain_value(const XmlAttribute& attribute) {
    if (attribute.is_plain) return attribute.value;
    return declarations_.keep(attribute_text(attribute.value, entities_));
}

// Chooses the tree's prefixes for the tag's declarations, those of the bindings from `first` on, and notes their edits.
// The order of the declarations does not matter.
void XmlNamespaces::choose_prefixes(XmlTag& tag, std::size_t first) {
    for (std::size_t i = first; i < scopes_.size(); ++i) {
        const NamespaceBinding& binding = scopes_[i];
        if (binding.known || binding.prefix.empty()) continue;
        // All prefixes that are made here contain "_".
        const bool is_taken =
            binding.prefix.find('_') != std::string_view::npos && scopes_.is_taken(binding.prefix, binding.prefix);
        if (is_taken || find_customary_prefix(binding.prefix)) scopes_.replace(i, declaration_beside(binding));
    }
    for (std::size_t i = first; i < scopes_.size(); ++i) {
        const KnownNamespace* const known = scopes_[i].known;
        if (known && !(scopes_[i].prefix.empty() && is_plain(known))) scopes_.replace(i, known->declaration);
    }
    std::size_t i = first;
    for (XmlAttribute& attribute : tag.attributes) {
        if (!attribute.is_declaration()) continue;
        std::string_view written = scopes_[i++].new_declaration;
        if (written.empty()) continue;
        written.remove_suffix(1);
        if (written == attribute.name.full) continue;
        rewriter_.note(attribute.begin, attribute.begin + attribute.name.full.size(), written);
        attribute.tree_name = made_name(written, {});
    }
}

// The first of dc_, dc_2, dc_3 … that no other prefix in scope has.
std::string_view XmlNamespaces::declaration_beside(const NamespaceBinding& binding) {
    std::string prefix = std::string(binding.prefix) + '_';
    if (scopes_.is_taken(prefix, binding.prefix)) prefix += std::to_string(scopes_.free_number(prefix, binding.prefix));
    return *made_declarations_.insert("xmlns:" + prefix + ":").first;
}

bool XmlNamespaces::resolve(const QName& name, std::size_t offset, Namespace& found) {
    found.binding = scopes_.find(name.prefix);
    if (found.binding) {
        found.known = found.binding->known;
        return true;
    }
    if (name.prefix.empty()) return true;
    found.known = find_customary_prefix(name.prefix);
    return found.known || cursor_.fail(offset, "the prefix " + excerpt(name.prefix) + " is not declared");
}

bool XmlNamespaces::resolve(XmlAttribute& attribute, std::size_t element, std::size_t number) {
    if (attribute.tree_name.empty()) attribute.tree_name = attribute.name.full;
    if (attribute.name.prefix.empty() || attribute.is_declaration()) return true;
    Namespace found;
    if (!resolve(attribute.name, attribute.begin, found)) return false;
    attribute.uri = found.uri();
    // Without a prefix, an attribute would have no namespace.
    const std::string_view prefix = tree_prefix(attribute.name, found, false);
    rename(attribute.name, attribute.begin, prefix);
    attribute.tree_name = tree_name(attribute.name, prefix);
    if (!is_declared(found, prefix)) list(found.known, found.uri(), element, number);
    return true;
}

// With its colon.
std::string_view XmlNamespaces::tree_prefix(const QName& name, const Namespace& found, bool may_be_plain) const {
    if (found.known) return may_be_plain && is_plain(found.known) ? std::string_view() : found.known->prefix();
    if (found.binding && !found.binding->new_declaration.empty()) return found.binding->new_declaration.substr(6);
    return name.full.substr(0, name.full.size() - name.local.size());
}

// A view of the document where the name is written so, or ends so.
std::string_view XmlNamespaces::tree_name(const QName& name, std::string_view tree_prefix) {
    if (tree_prefix.empty()) return name.local;
    const bool is_as_written = name.full.size() == tree_prefix.size() + name.local.size();
    return is_as_written && name.full.starts_with(tree_prefix) ? name.full : made_name(tree_prefix, name.local);
}

std::string_view XmlNamespaces::made_name(std::string_view prefix, std::string_view local) {
    room_.assign(prefix).append(local);
    const auto known = made_names_.find(room_);
    return known != made_names_.end() ? *known : *made_names_.insert(tree_.keep(room_)).first;
}

// Whether the tree's declarations say of the prefix what the document says. Each namespace that is not a known one has
// a prefix of its own.
bool XmlNamespaces::is_declared(const Namespace& found, std::string_view tree_prefix) const {
    if (!found.known) return true;
    if (!tree_prefix.empty()) tree_prefix.remove_suffix(1);
    if (found.binding && found.binding->tree_prefix() == tree_prefix && !scopes_.has_clashes()) return true;
    const std::string_view* const uri = scopes_.tree_uri(tree_prefix);
    return uri && *uri == found.uri();
}

// A URI that is not in the document's text as it stands may not outlive the scan.
void XmlNamespaces::list(const KnownNamespace* known, std::string_view uri, std::size_t element,
                         std::size_t attribute) {
    const std::string_view text = cursor_.text();
    const bool is_in_text = uri.data() >= text.data() && uri.data() < text.data() + text.size();
    make_room(undeclared_);
    undeclared_.push_back(
        {static_cast<std::uint32_t>(element), static_cast<std::uint32_t>(attribute), is_in_text ? uri : known->uri});
}

}  // namespace sluice::feed
