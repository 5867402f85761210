#include "protocol/feed/xml/attribute_text.hpp"

#include <pugixml.hpp>

#include "protocol/feed/model/pugi_tree.hpp"
#include "protocol/feed/xml/xml_references.hpp"

namespace sluice::feed {

std::string attribute_text(std::string_view written) {
    std::string element = "<x y=\"";
    for (const char c : written) {
        if (c == '"')
            element += "&quot;";
        else if (c == '<')
            element += "&lt;";
        else
            element += c;
    }
    element += "\"/>";
    pugi::xml_document one;
    one.load_buffer(element.data(), element.size(), feed_parse_flags, pugi::encoding_utf8);
    return one.document_element().attribute("y").value();
}

std::string attribute_text(std::string_view written, const XmlEntities& entities) {
    const std::string text(written);
    XmlCursor cursor(text);
    Rewriter rewriter(text);
    XmlReferences references(cursor, rewriter, entities);
    while (cursor.skip_to<bytes::XmlValueEnd>()) {
        if (cursor.peek() == '&')
            references.reference();
        else
            cursor.take(cursor.peek());
        rewriter.apply();
    }
    return attribute_text(rewriter.finish());
}

}  // namespace sluice::feed
