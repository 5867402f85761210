#include "protocol/feed/xml/xml_text.hpp"

#include <algorithm>
#include <array>

#include "protocol/text/utf8.hpp"

namespace sluice::feed {

namespace {

// The bytes that may begin something to replace: control characters, what XML reserves, and the lead byte of U+FFFE.
constexpr std::array<bool, 256> find_special_bytes() {
    std::array<bool, 256> special{};
    for (std::size_t byte = 0; byte < 0x20; ++byte) special[byte] = true;
    for (const char c : {'<', '>', '&', '"'}) special[static_cast<unsigned char>(c)] = true;
    special[0xEF] = true;
    return special;
}

constexpr std::array<bool, 256> special_bytes = find_special_bytes();

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
        const std::size_t begin = at;
        while (at < text.size() && !special_bytes[static_cast<unsigned char>(text[at])]) ++at;
        xml += text.substr(begin, at - begin);
        if (at == text.size()) return;
        const text::Utf8Char c = text::utf8_at(text, at);
        const std::string_view written = reference(text[at]);
        if (!written.empty())
            xml += written;
        else if (text::is_xml_char(c.code))
            xml += text.substr(at, c.length);
        else
            xml += "\xEF\xBF\xBD";
        at += std::max<std::size_t>(c.length, 1);
    }
}

}  // namespace

void append_xml_content(std::string& xml, std::string_view text) { append_escaped(xml, text, content_reference); }

void append_xml_value(std::string& xml, std::string_view text) { append_escaped(xml, text, value_reference); }

void append_xml_attribute(std::string& xml, std::string_view name, std::string_view value) {
    xml.append(" ").append(name).append("=\"");
    append_xml_value(xml, value);
    xml += '"';
}

}  // namespace sluice::feed
