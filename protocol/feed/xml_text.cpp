#include "protocol/feed/xml_text.hpp"

#include <algorithm>

#include "protocol/text/utf8.hpp"

namespace sluice::feed {

namespace {

// White space that a reader would change is written as references.
std::string_view content_reference(char c) {
    switch (c) {
        case '<':
            return "&lt;";
        case '>':
            return "&gt;";
        case '&':
            return "&amp;";
        case '\r':
            return "&#13;";
        default:
            return {};
    }
}

std::string_view value_reference(char c) {
    switch (c) {
        case '"':
            return "&quot;";
        case '\t':
            return "&#9;";
        case '\n':
            return "&#10;";
        default:
            return content_reference(c);
    }
}

void append_escaped(std::string& xml, std::string_view text, std::string_view (*reference)(char)) {
    for (std::size_t at = 0; at < text.size();) {
        const text::Utf8Char c = text::utf8_at(text, at);
        const std::size_t length = std::max<std::size_t>(c.length, 1);
        const std::string_view written = length == 1 ? reference(text[at]) : std::string_view();
        if (!written.empty())
            xml += written;
        else if (c.length == 0 || !text::is_xml_char(c.code))
            xml += "\xEF\xBF\xBD";
        else
            xml += text.substr(at, length);
        at += length;
    }
}

}  // namespace

void append_xml_content(std::string& xml, std::string_view text) { append_escaped(xml, text, content_reference); }

void append_xml_attribute(std::string& xml, std::string_view name, std::string_view value) {
    xml.append(" ").append(name).append("=\"");
    append_escaped(xml, value, value_reference);
    xml += '"';
}

}  // namespace sluice::feed
