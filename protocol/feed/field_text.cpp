#include "protocol/feed/field_text.hpp"

#include "protocol/feed/node_text.hpp"
#include "protocol/text/ascii.hpp"
#include "protocol/text/base64.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::feed {

FieldText non_empty(std::string_view text) {
    text = text::trim(text);
    return text.empty() ? FieldText() : FieldText(text);
}

FieldText text_of(pugi::xml_node element) {
    const pugi::xml_node first = element.first_child();
    if (is_text(first) && !first.next_sibling()) return non_empty(first.value());
    std::string text;
    for (pugi::xml_node node = first; node;) {
        if (is_text(node)) text += node.value();
        pugi::xml_node next = node.first_child();
        for (; !next && node != element; node = node.parent()) next = node.next_sibling();
        node = next;
    }
    return non_empty(text);
}

FieldText decoded_text_of(pugi::xml_node element) {
    FieldText text = text_of(element);
    if (!text || text::ascii_lower(text::trim(element.attribute("mode").value())) != "base64") return text;
    const std::optional<std::string> bytes = text::decode_base64(*text);
    return bytes && !text::find_bad_text(*bytes) ? non_empty(*bytes) : text;
}

FieldText person_of(pugi::xml_node element) {
    for (const char* part : {"name", "email"}) {
        if (FieldText text = text_of(element.child(part))) return text;
    }
    return element.child("url") || element.child("uri") ? FieldText() : text_of(element);
}

FieldText category_of(pugi::xml_node element) {
    for (const char* name : {"term", "text"}) {
        if (FieldText text = non_empty(element.attribute(name).value())) return text;
    }
    if (FieldText text = text_of(element)) return text;
    return non_empty(element.attribute("label").value());
}

FieldText first_text(const FieldParent& parent, FieldPaths paths, ReadField read) {
    FieldText first;
    visit_texts(parent, paths, read, [&](std::string text) { return first = std::move(text), true; });
    return first;
}

}  // namespace sluice::feed
