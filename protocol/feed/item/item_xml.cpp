#include "protocol/feed/item/item_xml.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/feed/item/tree_xml.hpp"
#include "protocol/feed/model/namespaces.hpp"
#include "protocol/feed/model/source_context.hpp"
#include "protocol/feed/xml/namespace_scopes.hpp"
#include "protocol/feed/xml/rewriter.hpp"
#include "protocol/feed/xml/xml_cursor.hpp"
#include "protocol/feed/xml/xml_inheritance.hpp"
#include "protocol/feed/xml/xml_references.hpp"
#include "protocol/feed/xml/xml_tag.hpp"
#include "protocol/feed/xml/xml_text.hpp"
#include "protocol/text/uri_reference.hpp"

namespace sluice::feed {

namespace {

constexpr std::size_t inherited_times = 4;

std::string declaration_of(std::string_view prefix) {
    return prefix.empty() ? "xmlns" : "xmlns:" + std::string(prefix);
}

// Copies the source of an item of a document that the scanner has accepted.
class SourceCopier {
public:
    SourceCopier(const Document& document, const Item& item)
        : text_(*document.text()),
          item_(item),
          context_(document.source_context()),
          begin_(static_cast<std::size_t>(item.source.data() - text_.data())),
          end_(begin_ + item.source.size()),
          cursor_(text_),
          rewriter_(std::string_view(text_).substr(0, end_), begin_),
          references_(cursor_, rewriter_, context_.entities),
          around_(context_.namespaces.around(begin_)),
          bytes_left_(inherited_times * item.source.size() + inherited_bytes_min) {
        cursor_.move_to(begin_);
    }

    std::string copy();

private:
    void copy_markup();
    void copy_start_tag();
    void use(std::string_view prefix);
    void use_in_value(std::string_view value);
    void inherit_base();
    void inherit_lang();
    void inherit_namespace(std::string_view prefix);
    bool inherit(std::string_view name, std::string_view value);
    const XmlAttribute* own(std::string_view name) const;

    const std::string& text_;
    const Item& item_;
    const SourceContext& context_;
    const std::size_t begin_, end_;
    XmlCursor cursor_;
    Rewriter rewriter_;
    XmlReferences references_;
    const std::size_t around_;  // the innermost declaration around the item

    XmlTag tag_;
    NamespaceScopes inside_;              // what is declared in the item, where the cursor is
    std::vector<std::size_t> open_;       // for each open element, the number of bindings around it
    std::vector<std::string_view> used_;  // prefixes that need a declaration around the item; "": the default namespace
    std::string base_;                    // what replaces the item's own xml:base
    std::string inherited_;               // attributes for the item's start tag
    std::size_t bytes_left_;
};

std::string SourceCopier::copy() {
    while (cursor_.at() < end_ && cursor_.skip_to<bytes::XmlTextEnd>()) {
        if (cursor_.take(']') || cursor_.take('\r')) continue;
        if (cursor_.peek() == '&')
            references_.reference();
        else
            copy_markup();
        rewriter_.apply();
    }
    for (const std::string_view prefix : used_) inherit_namespace(prefix);
    std::string xml = rewriter_.finish();
    const std::size_t name_end = std::string_view(xml).find_first_of(" \t\r\n/>");
    return std::move(xml.insert(name_end, inherited_));
}

void SourceCopier::copy_markup() {
    if (cursor_.looks_at("</")) {
        cursor_.move_to(text_.find('>', cursor_.at()) + 1);
        inside_.shrink(open_.back());
        open_.pop_back();
    } else if (cursor_.looks_at("<!--")) {
        cursor_.comment();
    } else if (cursor_.looks_at("<![CDATA[")) {
        cursor_.move_to(text_.find("]]>", cursor_.at()) + 3);
    } else if (cursor_.looks_at("<?")) {
        cursor_.processing_instruction();
    } else {
        copy_start_tag();
    }
}

void SourceCopier::copy_start_tag() {
    read_start_tag(cursor_, references_, tag_);
    const std::size_t outer = inside_.size();
    for (const XmlAttribute& attribute : tag_.attributes) {
        const QName& name = attribute.name;
        if (attribute.is_declaration())
            inside_.declare(name.prefix.empty() ? std::string_view() : name.local, attribute.value, outer);
    }
    use(tag_.name.prefix);
    for (const XmlAttribute& attribute : tag_.attributes) {
        if (attribute.is_declaration()) continue;
        if (!attribute.name.prefix.empty()) use(attribute.name.prefix);
        use_in_value(attribute.value);
    }
    if (tag_.begin == begin_) {
        inherit_base();
        inherit_lang();
    }
    if (tag_.is_empty)
        inside_.shrink(outer);
    else
        open_.push_back(outer);
}

void SourceCopier::use(std::string_view prefix) {
    if (!inside_.find(prefix) && std::find(used_.begin(), used_.end(), prefix) == used_.end()) used_.push_back(prefix);
}

// A value like xsi:type="p:name".
void SourceCopier::use_in_value(std::string_view value) {
    const std::string_view prefix = value.substr(0, std::min(value.find(':'), value.size()));
    const bool may_be_prefix = !prefix.empty() && prefix.size() < value.size();
    if (may_be_prefix && context_.namespaces.find(around_, prefix)) use(prefix);
}

// A relative xml:base of the item's own is resolved.
void SourceCopier::inherit_base() {
    const XmlAttribute* const own_base = own("xml:base");
    if (own_base && (!own_base->is_plain || text::is_absolute_uri(own_base->value))) return;
    const std::string base = xml_base_at(item_.element.parent(), {}).value_or(std::string());
    if (base.empty()) return;
    if (!own_base) {
        inherit("xml:base", base);
        return;
    }
    const auto value_end = static_cast<std::size_t>(own_base->value.data() - text_.data()) + own_base->value.size();
    append_xml_attribute(base_, "xml:base", text::resolve_reference(base, own_base->value));
    rewriter_.note(own_base->begin - 1, value_end + 1, base_);
}

void SourceCopier::inherit_lang() {
    if (own("xml:lang")) return;
    const std::string_view lang = xml_lang_at(item_.element.parent());
    if (!lang.empty()) inherit("xml:lang", lang);
}

void SourceCopier::inherit_namespace(std::string_view prefix) {
    const auto* const declaration = context_.namespaces.find(around_, prefix);
    const std::string name = declaration_of(prefix);
    if (declaration) {
        if (declaration->uri.empty() || inherit(name, declaration->uri)) return;
        append_xml_attribute(inherited_, name, "urn:sluice:long-namespace:" + std::string(prefix));
    } else if (!prefix.empty()) {
        append_xml_attribute(inherited_, name, namespace_of_undeclared(prefix));
    }
}

// False: it would be too long.
bool SourceCopier::inherit(std::string_view name, std::string_view value) {
    if (value.size() > bytes_left_) return false;
    bytes_left_ -= value.size();
    append_xml_attribute(inherited_, name, value);
    return true;
}

const XmlAttribute* SourceCopier::own(std::string_view name) const {
    const auto found = std::find_if(tag_.attributes.begin(), tag_.attributes.end(),
                                    [&](const XmlAttribute& each) { return each.name.full == name; });
    return found == tag_.attributes.end() ? nullptr : &*found;
}

}  // namespace

std::string item_xml(const Event& event) {
    const Document& document = *event.document;
    if (document.syntax() != Syntax::xml) return tree_xml(event.item().element);
    return SourceCopier(document, event.item()).copy();
}

}  // namespace sluice::feed
