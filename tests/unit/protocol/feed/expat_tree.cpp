#include "tests/unit/protocol/feed/expat_tree.hpp"

#include <algorithm>
#include <expat.h>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "protocol/text/ascii.hpp"
#include "tests/support/name_rule.hpp"

namespace sluice::feed {

namespace {

constexpr char separator = '\x01';  // cannot occur in a document

using Attributes = std::map<std::string, std::string>;

// What expat's handlers write to.
struct ExpatRead {
    std::string tree;
    testing::NameRule names;
    std::vector<testing::NameRule::Declaration> declarations;  // of the start tag to come
};

void write_start(std::string& tree, const std::string& name, const Attributes& attributes) {
    tree.append("<").append(name);
    for (const auto& [key, value] : attributes) tree.append(" ").append(key).append("=").append(value);
    tree += '>';
}

void write_text(std::string& tree, std::string_view text) {
    std::copy_if(text.begin(), text.end(), std::back_inserter(tree),
                 [](char c) { return text::ascii_space.find(c) == std::string_view::npos; });
}

struct Name {
    std::string prefix, local, uri;
};

// From expat's "uri local prefix", "uri local" or "local" (with the separator).
Name name_of(std::string_view triplet) {
    const std::size_t first = triplet.find(separator);
    if (first == std::string_view::npos) return {"", std::string(triplet), ""};
    const std::string_view rest = triplet.substr(first + 1);
    const std::size_t second = rest.find(separator);
    const bool has_prefix = second != std::string_view::npos;
    return {std::string(has_prefix ? rest.substr(second + 1) : std::string_view()), std::string(rest.substr(0, second)),
            std::string(triplet.substr(0, first))};
}

// In our tree.
std::string name_in_tree(const testing::NameRule& names, const Name& name, bool is_attribute) {
    const std::string prefix = names.prefix_of(name.prefix, name.uri, is_attribute);
    return prefix.empty() ? name.local : prefix + ':' + name.local;
}

void XMLCALL on_declaration(void* data, const XML_Char* prefix, const XML_Char* uri) {
    static_cast<ExpatRead*>(data)->declarations.push_back({prefix ? prefix : "", uri ? uri : ""});
}

void XMLCALL on_start(void* data, const XML_Char* element, const XML_Char** pairs) {
    auto& [tree, names, declarations] = *static_cast<ExpatRead*>(data);
    const Name name = name_of(element);
    names.enter(name.prefix, name.local, name.uri, declarations);
    declarations.clear();
    Attributes attributes;
    for (; *pairs; pairs += 2) attributes[name_in_tree(names, name_of(pairs[0]), true)] = pairs[1];
    write_start(tree, name_in_tree(names, name, false), attributes);
}

void XMLCALL on_end(void* data, const XML_Char*) {
    static_cast<ExpatRead*>(data)->tree += "</>";
    static_cast<ExpatRead*>(data)->names.leave();
}

void XMLCALL on_text(void* data, const XML_Char* text, int size) {
    write_text(static_cast<ExpatRead*>(data)->tree, std::string_view(text, static_cast<std::size_t>(size)));
}

void write_node(std::string& tree, pugi::xml_node node) {
    if (node.type() == pugi::node_comment || node.type() == pugi::node_pi) return;
    if (node.type() != pugi::node_element) return write_text(tree, node.value());
    Attributes attributes;
    for (const pugi::xml_attribute attribute : node.attributes()) {
        const std::string_view name = attribute.name();
        if (name != "xmlns" && !name.starts_with("xmlns:")) attributes[attribute.name()] = attribute.value();
    }
    write_start(tree, node.name(), attributes);
    for (const pugi::xml_node child : node.children()) write_node(tree, child);
    tree += "</>";
}

// Writes one element of a document.
struct ElementReader {
    XML_Parser parser;
    std::size_t begin;
    std::size_t depth;  // of the open elements in it, itself included
    std::string tree;

    static ElementReader& of(void* self) { return *static_cast<ElementReader*>(self); }

    static void XMLCALL on_start(void* self, const XML_Char* name, const XML_Char** pairs) {
        ElementReader& reader = of(self);
        const auto at = static_cast<std::size_t>(XML_GetCurrentByteIndex(reader.parser));
        if (reader.depth == 0 && at != reader.begin) return;
        Attributes attributes;
        for (; *pairs; pairs += 2) attributes[pairs[0]] = pairs[1];
        if (reader.depth++ == 0) {
            for (const char* inherited : {"base", "lang"})
                attributes.erase(std::string("http://www.w3.org/XML/1998/namespace") + separator + inherited);
        }
        write_start(reader.tree, name, attributes);
    }
    static void XMLCALL on_end(void* self, const XML_Char*) {
        if (of(self).depth == 0) return;
        --of(self).depth;
        of(self).tree += "</>";
    }
    static void XMLCALL on_text(void* self, const XML_Char* text, int size) {
        if (of(self).depth != 0) of(self).tree.append(text, static_cast<std::size_t>(size));
    }
};

using ParserPtr = std::unique_ptr<std::remove_pointer_t<XML_Parser>, decltype(&XML_ParserFree)>;

}  // namespace

ExpatVerdict expat_tree(const std::string& text) {
    const ParserPtr parser(XML_ParserCreateNS("UTF-8", separator), XML_ParserFree);
    ExpatRead read;
    XML_SetReturnNSTriplet(parser.get(), 1);
    XML_SetUserData(parser.get(), &read);
    XML_SetStartNamespaceDeclHandler(parser.get(), on_declaration);
    XML_SetElementHandler(parser.get(), on_start, on_end);
    XML_SetCharacterDataHandler(parser.get(), on_text);
    if (XML_Parse(parser.get(), text.data(), static_cast<int>(text.size()), 1) == XML_STATUS_OK)
        return {read.tree, {}, false};
    const XML_Error code = XML_GetErrorCode(parser.get());
    return {std::nullopt, XML_ErrorString(code), code == XML_ERROR_UNBOUND_PREFIX};
}

std::string pugixml_tree(pugi::xml_node element) {
    std::string tree;
    write_node(tree, element);
    return tree;
}

ExpatVerdict expat_element(const std::string& text, std::size_t offset) {
    const ParserPtr parser(XML_ParserCreateNS("UTF-8", separator), XML_ParserFree);
    ElementReader reader{parser.get(), offset, 0, {}};
    XML_SetUserData(parser.get(), &reader);
    XML_SetElementHandler(parser.get(), ElementReader::on_start, ElementReader::on_end);
    XML_SetCharacterDataHandler(parser.get(), ElementReader::on_text);
    if (XML_Parse(parser.get(), text.data(), static_cast<int>(text.size()), 1) == XML_STATUS_OK)
        return {reader.tree, {}, false};
    const XML_Error code = XML_GetErrorCode(parser.get());
    return {std::nullopt, XML_ErrorString(code), code == XML_ERROR_UNBOUND_PREFIX};
}

}  // namespace sluice::feed
